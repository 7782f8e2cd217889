// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/fold.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/fold-inl.h"
#include "kernels/pool/pairs-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

template <bool Max, int Rows, class Acc>
HWY_INLINE void fold_some_rows(const Acc* const* rows, std::int64_t count, Acc* to) {
    const WideTag<Acc> d;
    static_assert(wide_lanes<Acc> <= row_slack);
    const Acc* from[static_cast<std::size_t>(Rows)];
    std::copy_n(rows, Rows, from);
    for (std::int64_t o = 0; o < count; o += wide_lanes<Acc>) {
        const auto first = hn::LoadU(d, from[0] + o);
        auto folded = first;
        if constexpr (Max && Rows > 1) {
            // As if there were no NaN; the sum tells whether there is one.
            auto sum = first;
            for (int r = 1; r < Rows; ++r) {
                const auto v = hn::LoadU(d, from[r] + o);
                folded = larger(folded, v);
                sum = hn::Add(sum, v);
            }
            if (!hn::AllTrue(d, hn::Le(sum, sum))) {
                folded = first;
                for (int r = 1; r < Rows; ++r) folded = join<Max>(folded, hn::LoadU(d, from[r] + o));
            }
        } else {
            for (int r = 1; r < Rows; ++r) folded = join<Max>(folded, hn::LoadU(d, from[r] + o));
        }
        hn::StoreU(folded, d, to + o);
    }
}

template <bool Max, class Acc>
HWY_FLATTEN void fold_rows_by(std::span<const Acc* const> rows, std::int64_t count, Acc* to) {
    constexpr std::size_t most = 8;
    switch (std::min(rows.size(), most)) {
        case 1:
            return fold_some_rows<Max, 1>(rows.data(), count, to);
        case 2:
            return fold_some_rows<Max, 2>(rows.data(), count, to);
        case 3:
            return fold_some_rows<Max, 3>(rows.data(), count, to);
        case 4:
            return fold_some_rows<Max, 4>(rows.data(), count, to);
        case 5:
            return fold_some_rows<Max, 5>(rows.data(), count, to);
        case 6:
            return fold_some_rows<Max, 6>(rows.data(), count, to);
        case 7:
            return fold_some_rows<Max, 7>(rows.data(), count, to);
        default:
            fold_some_rows<Max, 8>(rows.data(), count, to);
    }
    for (std::size_t r = most; r < rows.size(); ++r) {
        const Acc* const with_next[] = {to, rows[r]};
        fold_some_rows<Max, 2>(with_next, count, to);
    }
}

// The terms are made. A stretch at a time stays in the first-level cache between its sums and what is made of
// them.
template <Formula F, class Acc, class Out>
HWY_FLATTEN bool finish_rows_of(std::span<const Acc* const> rows, const OutputRowOf<Out>& out) {
    constexpr std::int64_t stretch = 512;
    constexpr std::size_t most_rows = 8;
    Acc folded[stretch + row_slack];
    bool good = true;
    for (std::int64_t first = 0; first < out.count; first += stretch) {
        OutputRowOf<Out> part = out;
        part.to += first;
        part.count = std::min(stretch, out.count - first);
        if (part.divisors.columns != nullptr) part.divisors.columns += first;
        if (rows.size() == 1) {
            const Acc* row = rows[0] + first;
            good &= for_outputs<Acc>(part.to, part.count, part.non_temporal,
                                     [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
                                         return finish<F>(d, hn::LoadU(d, row + o), part, o, stream);
                                     });
            continue;
        }
        const Acc* from[most_rows];
        for (std::size_t done = 0; done < rows.size();) {
            // The elements folded already go first.
            std::size_t used = 0;
            if (done > 0) from[used++] = folded;
            for (; used < most_rows && done < rows.size(); ++done) from[used++] = rows[done] + first;
            fold_rows_by<is_max(F), Acc>({from, used}, part.count, folded);
        }
        good &= for_outputs<Acc>(part.to, part.count, part.non_temporal,
                                 [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
                                     return finish<F>(d, hn::LoadU(d, folded + o), part, o, stream);
                                 });
    }
    return good;
}

template <class Acc, class Out>
bool finish_rows_in(std::span<const Acc* const> rows, const OutputRowOf<Out>& out) {
    return with_formula(out.formula, [&]<Formula F>() HWY_ATTR {
        if constexpr (is_max(F) && !std::is_same_v<Acc, Out>) {
            return true;  // a maximum is always accurate
        } else {
            return finish_rows_of<F>(rows, out);
        }
    });
}

template <Formula F, class In, class Acc>
HWY_FLATTEN void make_terms_of(const In* from, std::int64_t count, Acc* to) {
    const WideTag<Acc> d;
    std::int64_t i = 0;
    for (; i + wide_lanes<Acc> <= count; i += wide_lanes<Acc>)
        hn::StoreU(term<F>(load_as(d, from + i)), d, to + i);
    const OneTag<Acc> one;
    for (; i < count; ++i) hn::StoreU(term<F>(load_as(one, from + i)), one, to + i);
}

template <class In, class Acc>
void make_terms_in(Formula formula, const In* from, std::int64_t count, Acc* to) {
    with_formula(formula, [&]<Formula F>() HWY_ATTR { make_terms_of<F>(from, count, to); });
}

// From two vectors to one: every second lane, in order.
template <class Acc>
HWY_INLINE hn::Vec<WideTag<Acc>> load_every_second(const Acc* from) {
    const WideTag<Acc> d;
    return in_order(d, even_lanes(d, hn::LoadU(d, from + wide_lanes<Acc>), hn::LoadU(d, from)));
}

template <class Acc>
HWY_FLATTEN void pick_every_in(std::int64_t stride, const Acc* from, std::int64_t count, Acc* to) {
    constexpr std::int64_t n = wide_lanes<Acc>;
    const WideTag<Acc> d;
    std::int64_t o = 0;
    if constexpr (n > 1) {
        if (stride == 2) {
            for (; o + n <= count; o += n) hn::StoreU(load_every_second(from + 2 * o), d, to + o);
        } else if (stride == 4) {
            for (; o + n <= count; o += n) {
                const auto low = load_every_second(from + 4 * o);
                const auto high = load_every_second(from + 4 * o + 2 * n);
                hn::StoreU(in_order(d, even_lanes(d, high, low)), d, to + o);
            }
        }
    }
    for (; o < count; ++o) to[o] = from[o * stride];
}

// Stores `Count` neighbouring vectors, which hold the elements Phase, Phase + Stride / Count, ... of a row,
// each phase in its own row: even and odd lanes are taken apart until a vector is of one phase.
template <std::size_t Stride, std::size_t Count, std::size_t Phase, class D, class Acc>
HWY_INLINE void deal_vectors(D d, const hn::Vec<D>* v, std::int64_t o, std::span<Acc* const> to) {
    if constexpr (Count == 1) {
        hn::StoreU(v[0], d, to[Phase] + o);
    } else {
        constexpr std::size_t half = Count / 2;
        hn::Vec<D> even[half];
        hn::Vec<D> odd[half];
        for (std::size_t i = 0; i < half; ++i) {
            even[i] = in_order(d, even_lanes(d, v[2 * i + 1], v[2 * i]));
            odd[i] = in_order(d, odd_lanes(d, v[2 * i + 1], v[2 * i]));
        }
        constexpr std::size_t step = Stride / Count;
        deal_vectors<Stride, half, Phase>(d, even, o, to);
        deal_vectors<Stride, half, Phase + step>(d, odd, o, to);
    }
}

template <std::int64_t Stride, class Acc>
HWY_FLATTEN void deal_out_by(const Acc* from, std::int64_t count, std::span<Acc* const> to, bool from_image) {
    constexpr std::int64_t n = wide_lanes<Acc>;
    if (n == 1 || count < n) {
        for (std::int64_t o = 0; o < count; ++o)
            for (std::int64_t i = 0; i < Stride; ++i)
                to[static_cast<std::size_t>(i)][o] = from[o * Stride + i];
        return;
    }
    const WideTag<Acc> d;
    const auto deal = [&](std::int64_t o) HWY_ATTR {
        hn::Vec<WideTag<Acc>> v[static_cast<std::size_t>(Stride)];
        for (std::int64_t i = 0; i < Stride; ++i) {
            const Acc* const vector = from + o * Stride + i * n;
            if (from_image) support::prefetch(vector, support::page_bytes);
            v[i] = hn::LoadU(d, vector);
        }
        deal_vectors<Stride, Stride, 0>(d, v, o, to);
    };
    std::int64_t o = 0;
    for (; o + n <= count; o += n) deal(o);
    if (o < count) deal(count - n);
}

template <class Acc>
void deal_out_in(const Acc* from, std::int64_t count, std::span<Acc* const> to, bool from_image) {
    to.size() == 4 ? deal_out_by<4>(from, count, to, from_image)
                   : deal_out_by<8>(from, count, to, from_image);
}

bool finish_rows_f32(std::span<const float* const> rows, const OutputRow& out) {
    return finish_rows_in(rows, out);
}
bool finish_rows_f64(std::span<const double* const> rows, const OutputRow& out) {
    return finish_rows_in(rows, out);
}
bool finish_wide_rows(std::span<const double* const> rows, const OutputRowOf<double>& out) {
    return finish_rows_in(rows, out);
}
void fold_rows_f32(bool maximum, std::span<const float* const> rows, std::int64_t count, float* to) {
    maximum ? fold_rows_by<true>(rows, count, to) : fold_rows_by<false>(rows, count, to);
}
void fold_rows_f64(bool maximum, std::span<const double* const> rows, std::int64_t count, double* to) {
    maximum ? fold_rows_by<true>(rows, count, to) : fold_rows_by<false>(rows, count, to);
}
void pick_every_f32(std::int64_t stride, const float* from, std::int64_t count, float* to) {
    pick_every_in(stride, from, count, to);
}
void pick_every_f64(std::int64_t stride, const double* from, std::int64_t count, double* to) {
    pick_every_in(stride, from, count, to);
}
void deal_out_f32(const float* from, std::int64_t count, std::span<float* const> to, bool from_image) {
    deal_out_in(from, count, to, from_image);
}
void deal_out_f64(const double* from, std::int64_t count, std::span<double* const> to, bool from_image) {
    deal_out_in(from, count, to, from_image);
}
void make_terms_f32(Formula formula, const float* from, std::int64_t count, float* to) {
    make_terms_in(formula, from, count, to);
}
void make_terms_f64(Formula formula, const float* from, std::int64_t count, double* to) {
    make_terms_in(formula, from, count, to);
}
void make_wide_terms(Formula formula, const double* from, std::int64_t count, double* to) {
    make_terms_in(formula, from, count, to);
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(finish_rows_f32);
HWY_EXPORT(finish_rows_f64);
HWY_EXPORT(finish_wide_rows);
HWY_EXPORT(fold_rows_f32);
HWY_EXPORT(fold_rows_f64);
HWY_EXPORT(pick_every_f32);
HWY_EXPORT(pick_every_f64);
HWY_EXPORT(deal_out_f32);
HWY_EXPORT(deal_out_f64);
HWY_EXPORT(make_terms_f32);
HWY_EXPORT(make_terms_f64);
HWY_EXPORT(make_wide_terms);

bool finish_rows(std::span<const float* const> rows, const OutputRow& out) {
    return HWY_DYNAMIC_DISPATCH(finish_rows_f32)(rows, out);
}
bool finish_rows(std::span<const double* const> rows, const OutputRow& out) {
    return HWY_DYNAMIC_DISPATCH(finish_rows_f64)(rows, out);
}
bool finish_rows(std::span<const double* const> rows, const OutputRowOf<double>& out) {
    return HWY_DYNAMIC_DISPATCH(finish_wide_rows)(rows, out);
}
void fold_rows(bool maximum, std::span<const float* const> rows, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(fold_rows_f32)(maximum, rows, count, to);
}
void fold_rows(bool maximum, std::span<const double* const> rows, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(fold_rows_f64)(maximum, rows, count, to);
}
void pick_every(std::int64_t stride, const float* from, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(pick_every_f32)(stride, from, count, to);
}
void pick_every(std::int64_t stride, const double* from, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(pick_every_f64)(stride, from, count, to);
}
void deal_out(const float* from, std::int64_t count, std::span<float* const> to, bool from_image) {
    HWY_DYNAMIC_DISPATCH(deal_out_f32)(from, count, to, from_image);
}
void deal_out(const double* from, std::int64_t count, std::span<double* const> to, bool from_image) {
    HWY_DYNAMIC_DISPATCH(deal_out_f64)(from, count, to, from_image);
}
void make_terms(Formula formula, const float* from, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(make_terms_f32)(formula, from, count, to);
}
void make_terms(Formula formula, const float* from, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(make_terms_f64)(formula, from, count, to);
}
void make_terms(Formula formula, const double* from, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(make_wide_terms)(formula, from, count, to);
}
void finish_stores() {
    hwy::FlushStream();
}

}  // namespace iir2d::pool
#endif
