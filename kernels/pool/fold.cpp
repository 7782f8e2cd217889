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

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/pool/fold.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 256 bits where there are so many, never more.
template <class T>
constexpr std::int64_t lanes = std::max<std::int64_t>(std::min<std::int64_t>(HWY_MAX_BYTES, 32) / sizeof(T),
                                                      1);
template <class T>
using Tag = hn::FixedTag<T, lanes<T>>;
// For rows shorter than a vector.
template <class T>
using OneTag = hn::FixedTag<T, 1>;

template <class In, class D>
HWY_INLINE hn::Vec<D> load(D d, const In* from) {
    using Acc = hn::TFromD<D>;
    if constexpr (sizeof(In) == sizeof(Acc)) {
        return hn::LoadU(d, from);
    } else {
        return hn::PromoteTo(d, hn::LoadU(hn::Rebind<In, D>(), from));
    }
}

// Every second lane of two vectors, from lane 0 or from lane 1. Where vectors consist of 128-bit blocks this
// takes one instruction if the blocks may lie in another order, which in_order() undoes at the end.
#if defined(IIR2D_HAVE_HIGHWAY) && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
HWY_INLINE hn::Vec<Tag<float>> even_lanes(Tag<float>, hn::Vec<Tag<float>> high, hn::Vec<Tag<float>> low) {
    return hn::Vec<Tag<float>>{_mm256_shuffle_ps(low.raw, high.raw, _MM_SHUFFLE(2, 0, 2, 0))};
}
HWY_INLINE hn::Vec<Tag<float>> odd_lanes(Tag<float>, hn::Vec<Tag<float>> high, hn::Vec<Tag<float>> low) {
    return hn::Vec<Tag<float>>{_mm256_shuffle_ps(low.raw, high.raw, _MM_SHUFFLE(3, 1, 3, 1))};
}
template <class D>
HWY_INLINE hn::Vec<D> in_order(D d, const hn::Vec<D>& v) {
    if constexpr (std::is_same_v<D, Tag<float>> || std::is_same_v<D, Tag<std::int32_t>>) {
        const Tag<double> pairs;
        return hn::BitCast(d, hn::Vec<Tag<double>>{
                                  _mm256_permute4x64_pd(hn::BitCast(pairs, v).raw, _MM_SHUFFLE(3, 1, 2, 0))});
    } else {
        return v;
    }
}
#else
template <class D>
HWY_INLINE hn::Vec<D> in_order(D, const hn::Vec<D>& v) {
    return v;
}
#endif
template <class D, class V>
HWY_INLINE V even_lanes(D d, V high, V low) {
    return hn::ConcatEven(d, high, low);
}
template <class D, class V>
HWY_INLINE V odd_lanes(D d, V high, V low) {
    return hn::ConcatOdd(d, high, low);
}

// from[Tap], from[Tap + Stride], ..., in the order that in_order() undoes where Stride is 2. Reads no element
// behind the last of them, but for tap 0 one, which is tap 1.
template <int Tap, int Stride, std::int64_t N, class In, class D>
HWY_INLINE hn::Vec<D> load_tap(D d, const In* from) {
    if constexpr (Stride == 1 || N == 1) {
        return load(d, from + Tap);
    } else {
        const hn::Rebind<In, D> di;
        // Other taps are the second of each of the pairs that begin before them.
        const In* pairs = from + (Tap == 0 ? 0 : Tap - 1);
        const auto low = hn::LoadU(di, pairs);
        const auto high = hn::LoadU(di, pairs + N);
        const auto picked = [&] {
            if constexpr (Tap == 0) {
                return even_lanes(di, high, low);
            } else {
                return odd_lanes(di, high, low);
            }
        }();
        if constexpr (sizeof(In) == sizeof(hn::TFromD<D>)) {
            return picked;
        } else {
            return hn::PromoteTo(d, picked);
        }
    }
}

template <Formula F, class V>
HWY_INLINE V term(const V& v) {
    if constexpr (F == Formula::max || F == Formula::avg) {
        return v;
    } else if constexpr (F == Formula::max_magnitude || F == Formula::lp1) {
        return hn::Abs(v);
    } else if constexpr (F == Formula::lp2) {
        return hn::Mul(v, v);
    } else {
        const V a = hn::Abs(v);
        return hn::Mul(hn::Mul(a, a), a);
    }
}

// Not where v replaces the best so far: a NaN is above every number and never replaced.
template <class V>
HWY_INLINE auto stays(const V& best, const V& v) {
    return hn::Or(hn::Le(v, best), hn::IsNaN(best));
}

// Of two numbers, the first where they are equal.
template <class V>
HWY_INLINE V larger(const V& first, const V& later) {
#if defined(__SSE2__)
    return hn::Max(later, first);  // one instruction, which gives its second operand then
#else
    return hn::IfThenElse(hn::Le(later, first), first, later);
#endif
}

template <bool Max, class V>
HWY_INLINE V join(const V& first, const V& later) {
    if constexpr (Max) {
        return hn::IfThenElse(stays(first, later), first, later);
    } else {
        return hn::Add(first, later);
    }
}

// One row's taps, from left to right.
template <Formula F, int Taps, int Stride, std::int64_t N, class In, class D>
HWY_INLINE hn::Vec<D> fold_taps(D d, const In* from) {
    auto result = term<F>(load_tap<0, Stride, N>(d, from));
    if constexpr (Taps > 1) result = join<is_max(F)>(result, term<F>(load_tap<1, Stride, N>(d, from)));
    if constexpr (Taps > 2) result = join<is_max(F)>(result, term<F>(load_tap<2, Stride, N>(d, from)));
    return result;
}

// In float, of normal numbers, to 3e-7: a guess from the exponent, then Newton's steps. In double lane by
// lane; that is for the few sums that float does not hold.
template <class D>
HWY_INLINE hn::Vec<D> cube_root(D d, const hn::Vec<D>& v) {
    using Acc = hn::TFromD<D>;
    if constexpr (sizeof(Acc) == sizeof(double)) {
        Acc each[lanes<Acc>];
        hn::StoreU(v, d, each);
        const std::int64_t n = std::is_same_v<D, OneTag<Acc>> ? 1 : lanes<Acc>;
        for (std::int64_t i = 0; i < n; ++i) each[i] = std::cbrt(each[i]);
        return hn::LoadU(d, each);
    } else {
        const hn::Rebind<std::int32_t, D> di;
        const auto third = hn::Set(d, 1.0F / 3.0F);
        const auto bits = hn::ConvertTo(d, hn::BitCast(di, v));
        auto root = hn::BitCast(d, hn::Add(hn::ConvertTo(di, hn::Mul(bits, third)), hn::Set(di, 709921077)));
        for (int i = 0; i < 3; ++i) {
            root = hn::Mul(hn::Add(hn::Add(root, root), hn::Div(v, hn::Mul(root, root))), third);
        }
        return root;
    }
}

// The range in which sums are accurate, where their type is the elements'; a wider type holds every sum.
template <Formula F, class D>
HWY_INLINE auto trusted(D d, const hn::Vec<D>& sum) {
    using Limits = std::numeric_limits<hn::TFromD<D>>;
    const auto highest = hn::Set(d, Limits::max());
    if constexpr (F == Formula::avg) {
        return hn::Le(hn::Abs(sum), highest);
    } else if constexpr (F == Formula::lp1) {
        return hn::Le(sum, highest);  // a magnitude cannot underflow
    } else {
        // Below this, terms too small for a normal number could be a part of the sum.
        const auto lowest = hn::Set(d, Limits::min() / (Limits::epsilon() * Limits::epsilon()));
        return hn::And(hn::Ge(sum, lowest), hn::Le(sum, highest));
    }
}

template <class D>
HWY_INLINE hn::Vec<D> divisors(D d, const Divisors& by, std::int64_t o) {
    using Acc = hn::TFromD<D>;
    const auto rows = hn::Set(d, static_cast<Acc>(by.rows));
    if (by.columns == nullptr) return rows;
    const auto columns = hn::LoadU(hn::Rebind<std::int32_t, D>(), by.columns + o);
    if constexpr (sizeof(Acc) == sizeof(std::int32_t)) {
        return hn::Mul(rows, hn::ConvertTo(d, columns));
    } else {
        return hn::Mul(rows, hn::PromoteTo(d, columns));
    }
}

template <class D>
HWY_INLINE auto all_true(D d) {
    return hn::Le(hn::Zero(d), hn::Zero(d));
}

template <class D>
HWY_INLINE auto as_stored(D d, const hn::Vec<D>& v) {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
        static_cast<void>(d);
        return v;
    } else {
        return hn::DemoteTo(hn::Rebind<float, D>(), v);
    }
}

// One vector of outputs, from their folded windows. Answers which are accurate.
template <Formula F, class D>
HWY_INLINE auto finish(D d, const hn::Vec<D>& folded, const OutputRow& out, std::int64_t o, bool stream) {
    using Acc = hn::TFromD<D>;
    const hn::Rebind<float, D> dout;
    const auto put = [&](const auto& stored) HWY_ATTR {
        if (stream) {
            hn::Stream(stored, dout, out.to + o);
        } else {
            hn::StoreU(stored, dout, out.to + o);
        }
    };
    if constexpr (is_max(F)) {
        put(folded);
        return all_true(d);
    } else {
        auto result = folded;
        if constexpr (F == Formula::avg) {
            // A sum of zeros is +0, whatever their signs.
            result = hn::Div(hn::Add(folded, hn::Zero(d)), divisors(d, out.divisors, o));
        } else if constexpr (F == Formula::lp2) {
            result = hn::Sqrt(folded);
        } else if constexpr (F == Formula::lp3) {
            result = cube_root(d, folded);
        }
        const auto nan = hn::Set(d, std::numeric_limits<Acc>::quiet_NaN());
        if constexpr (sizeof(Acc) > sizeof(float)) {
            // Every sum is accurate. One kind of NaN, whichever operand it came from.
            const auto stored = as_stored(d, hn::IfThenElse(hn::IsNaN(result), nan, result));
            if (out.only_nan) {
                const auto old = hn::LoadU(dout, out.to + o);
                put(hn::IfThenElse(hn::IsNaN(old), stored, old));
            } else {
                put(stored);
            }
            return all_true(d);
        } else {
            const auto good = trusted<F>(d, folded);
            put(hn::IfThenElse(good, result, nan));
            return good;
        }
    }
}

// Calls body(d, o, stream) so that the outputs from 0 to `count` are all made, some of them twice; it answers
// which are accurate, and this whether all are.
template <class Acc, class Body>
HWY_INLINE bool for_outputs(const float* to, std::int64_t count, bool past_caches, const Body& body) {
    constexpr std::int64_t n = lanes<Acc>;
    if (count < n) {
        const OneTag<Acc> one;
        auto good = all_true(one);
        for (std::int64_t o = 0; o < count; ++o) good = hn::And(good, body(one, o, false));
        return hn::AllTrue(one, good);
    }
    const Tag<Acc> d;
    auto good = all_true(d);
    std::int64_t o = 0;
    if (constexpr std::size_t bytes = n * sizeof(float); past_caches && bytes >= 16) {
        const std::size_t behind = reinterpret_cast<std::uintptr_t>(to) % bytes;
        if (behind != 0) {
            good = body(d, 0, false);
            o = static_cast<std::int64_t>((bytes - behind) / sizeof(float));
        }
        for (; o + n <= count; o += n) good = hn::And(good, body(d, o, true));
    } else {
        for (; o + n <= count; o += n) good = hn::And(good, body(d, o, false));
    }
    if (o < count) good = hn::And(good, body(d, count - n, false));
    return hn::AllTrue(d, good);
}

// One output row; Rows: how many there are, 0 when that is not known here.
template <Formula F, int Rows, int Taps, int Stride, class Acc, class Row>
HWY_INLINE bool pool_row(const Row& row_of, std::size_t row_count, const OutputRow& out) {
    return for_outputs<Acc>(
        out.to, out.count, out.past_caches, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
            constexpr std::int64_t n = std::is_same_v<decltype(d), OneTag<Acc>> ? 1 : lanes<Acc>;
            auto folded = fold_taps<F, Taps, Stride, n>(d, row_of(0) + o * Stride);
            const std::size_t rows = Rows > 0 ? Rows : row_count;
            for (std::size_t r = 1; r < rows; ++r) {
                folded = join<is_max(F)>(folded, fold_taps<F, Taps, Stride, n>(d, row_of(r) + o * Stride));
            }
            return finish<F>(d, Stride == 2 && n > 1 ? in_order(d, folded) : folded, out, o, stream);
        });
}

// Calls use.operator()<F>() with the formula as a constant.
template <class Use>
HWY_INLINE auto with_formula(Formula formula, const Use& use) {
    switch (formula) {
        case Formula::max:
            return use.template operator()<Formula::max>();
        case Formula::max_magnitude:
            return use.template operator()<Formula::max_magnitude>();
        case Formula::avg:
            return use.template operator()<Formula::avg>();
        case Formula::lp1:
            return use.template operator()<Formula::lp1>();
        case Formula::lp2:
            return use.template operator()<Formula::lp2>();
        default:
            return use.template operator()<Formula::lp3>();
    }
}

OutputRow row_of(const OutputRows& out, std::int64_t oy) {
    return {.to = out.to + oy * out.row_stride,
            .count = out.count,
            .formula = out.formula,
            .divisors = {out.divisor, nullptr},
            .past_caches = out.past_caches};
}

// Several output rows at once, of windows of three rows that are Below apart: rows that windows share are
// folded once.
template <Formula F, int Taps, int Stride, int Below, int Joint>
HWY_INLINE bool pool_joint_rows(const WindowRows& windows, const OutputRows& out, std::int64_t oy) {
    constexpr int window_rows = 3;
    constexpr int rows = window_rows + (Joint - 1) * Below;
    const float* first = windows.first + oy * windows.below_distance;
    const std::int64_t distance = windows.row_distance;
    OutputRow outs[Joint];
    for (int j = 0; j < Joint; ++j) outs[j] = row_of(out, oy + j);
    return for_outputs<float>(
        outs[0].to, out.count, out.past_caches, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
            constexpr std::int64_t n = std::is_same_v<decltype(d), OneTag<float>> ? 1 : lanes<float>;
            hn::Vec<decltype(d)> folded[rows];
            for (int r = 0; r < rows; ++r) {
                folded[r] = fold_taps<F, Taps, Stride, n>(d, first + r * distance + o * Stride);
            }
            auto good = all_true(d);
            for (int j = 0; j < Joint; ++j) {
                const auto* of = folded + j * Below;
                const auto window = join<is_max(F)>(join<is_max(F)>(of[0], of[1]), of[2]);
                good = hn::And(good, finish<F>(d, Stride == 2 && n > 1 ? in_order(d, window) : window,
                                               outs[j], o, stream));
            }
            return good;
        });
}

template <Formula F, int Taps, int Stride>
HWY_FLATTEN void pool_windows_of(const WindowRows& windows, const OutputRows& out) {
    const auto rows_at = [&](std::int64_t oy) {
        return [&, first = windows.first + oy * windows.below_distance](std::size_t r) {
            return first + static_cast<std::int64_t>(r) * windows.row_distance;
        };
    };
    const auto count = static_cast<std::size_t>(windows.rows);
    const auto again_in_double = [&](std::int64_t oy) HWY_ATTR {
        if constexpr (!is_max(F)) {
            OutputRow row = row_of(out, oy);
            row.past_caches = false;
            row.only_nan = true;
            pool_row<F, 0, Taps, Stride, double>(rows_at(oy), count, row);
        }
    };
    std::int64_t oy = 0;
    if constexpr (Taps == 3) {
        constexpr int joint = 2;
        const bool aligned_alike = !out.past_caches || out.row_stride % lanes<float> == 0;
        const std::int64_t below = windows.below_distance / windows.row_distance;
        const bool square = windows.rows == 3 && windows.below_distance % windows.row_distance == 0;
        for (; square && aligned_alike && (below == 1 || below == 2) && oy + joint <= out.rows; oy += joint) {
            const bool good = below == 1 ? pool_joint_rows<F, Taps, Stride, 1, joint>(windows, out, oy)
                                         : pool_joint_rows<F, Taps, Stride, 2, joint>(windows, out, oy);
            for (std::int64_t j = 0; !good && j < joint; ++j) again_in_double(oy + j);
        }
    }
    for (; oy < out.rows; ++oy) {
        // Square windows are the usual ones.
        const bool good = Taps > 1 && windows.rows == Taps
                              ? pool_row<F, Taps, Taps, Stride, float>(rows_at(oy), count, row_of(out, oy))
                              : pool_row<F, 0, Taps, Stride, float>(rows_at(oy), count, row_of(out, oy));
        if (!good) again_in_double(oy);
    }
}

// Calls use.operator()<Taps, Stride>() for the windows that there are loops for.
template <class Use>
HWY_INLINE void with_taps(const WindowRows& windows, const Use& use) {
    if (windows.taps == 1) return use.template operator()<1, 1>();
    if (windows.taps == 2 && windows.stride == 1) return use.template operator()<2, 1>();
    if (windows.taps == 2) return use.template operator()<2, 2>();
    if (windows.stride == 1) return use.template operator()<3, 1>();
    use.template operator()<3, 2>();
}

void pool_windows_for_target(const WindowRows& windows, const OutputRows& out) {
    with_formula(out.formula, [&]<Formula F>() HWY_ATTR {
        with_taps(windows,
                  [&]<int Taps, int Stride>() HWY_ATTR { pool_windows_of<F, Taps, Stride>(windows, out); });
    });
}

template <bool Max, int Rows, class Acc>
HWY_INLINE void fold_some_rows(const Acc* const* rows, std::int64_t count, Acc* to) {
    const Tag<Acc> d;
    static_assert(lanes<Acc> <= row_slack);
    const Acc* from[Rows];
    std::copy_n(rows, Rows, from);
    for (std::int64_t o = 0; o < count; o += lanes<Acc>) {
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
template <Formula F, class Acc>
HWY_FLATTEN bool finish_rows_of(std::span<const Acc* const> rows, const OutputRow& out) {
    constexpr std::int64_t stretch = 512;
    constexpr std::size_t most_rows = 8;
    Acc folded[stretch + row_slack];
    bool good = true;
    for (std::int64_t first = 0; first < out.count; first += stretch) {
        OutputRow part = out;
        part.to += first;
        part.count = std::min(stretch, out.count - first);
        if (part.divisors.columns != nullptr) part.divisors.columns += first;
        const Acc* from[most_rows];
        for (std::size_t done = 0; done < rows.size();) {
            // What is folded already goes first.
            std::size_t used = 0;
            if (done > 0) from[used++] = folded;
            for (; used < most_rows && done < rows.size(); ++done) from[used++] = rows[done] + first;
            fold_rows_by<is_max(F), Acc>({from, used}, part.count, folded);
        }
        good &= for_outputs<Acc>(part.to, part.count, part.past_caches,
                                 [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
                                     return finish<F>(d, hn::LoadU(d, folded + o), part, o, stream);
                                 });
    }
    return good;
}

template <class Acc>
bool finish_rows_in(std::span<const Acc* const> rows, const OutputRow& out) {
    return with_formula(out.formula, [&]<Formula F>() HWY_ATTR {
        if constexpr (is_max(F) && !std::is_same_v<Acc, float>) {
            return true;  // a maximum is always accurate
        } else {
            return finish_rows_of<F, Acc>(rows, out);
        }
    });
}

template <Formula F, class Acc>
HWY_FLATTEN void make_terms_of(const float* from, std::int64_t count, Acc* to) {
    const Tag<Acc> d;
    std::int64_t i = 0;
    for (; i + lanes<Acc> <= count; i += lanes<Acc>) hn::StoreU(term<F>(load(d, from + i)), d, to + i);
    const OneTag<Acc> one;
    for (; i < count; ++i) hn::StoreU(term<F>(load(one, from + i)), one, to + i);
}

template <class Acc>
void make_terms_in(Formula formula, const float* from, std::int64_t count, Acc* to) {
    with_formula(formula, [&]<Formula F>() HWY_ATTR { make_terms_of<F>(from, count, to); });
}

// From two vectors to one: every second lane, in order.
template <class Acc>
HWY_INLINE hn::Vec<Tag<Acc>> load_every_second(const Acc* from) {
    const Tag<Acc> d;
    return in_order(d, even_lanes(d, hn::LoadU(d, from + lanes<Acc>), hn::LoadU(d, from)));
}

template <class Acc>
HWY_FLATTEN void pick_every_in(std::int64_t stride, const Acc* from, std::int64_t count, Acc* to) {
    constexpr std::int64_t n = lanes<Acc>;
    const Tag<Acc> d;
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

HWY_FLATTEN void fold_placed_rows(std::span<const PlacedRow> rows, std::int64_t count,
                                  const PlacedOutput& to) {
    const Tag<float> d;
    const Tag<std::int32_t> di;
    const auto placed = [&](const std::int32_t* from, std::int32_t add, std::int64_t o)
                            HWY_ATTR { return hn::Add(hn::LoadU(di, from + o), hn::Set(di, add)); };
    for (std::int64_t o = 0; o < count; o += lanes<float>) {
        auto best = hn::LoadU(d, rows[0].values + o);
        auto column = placed(rows[0].columns, rows[0].add_to_columns, o);
        auto row = placed(rows[0].rows, rows[0].add_to_rows, o);
        for (std::size_t r = 1; r < rows.size(); ++r) {
            const PlacedRow& later = rows[r];
            const auto v = hn::LoadU(d, later.values + o);
            const auto stay = stays(best, v);
            const auto stay_places = hn::RebindMask(di, stay);
            best = hn::IfThenElse(stay, best, v);
            column = hn::IfThenElse(stay_places, column, placed(later.columns, later.add_to_columns, o));
            row = hn::IfThenElse(stay_places, row, placed(later.rows, later.add_to_rows, o));
        }
        hn::StoreU(best, d, to.values + o);
        hn::StoreU(column, di, to.columns + o);
        hn::StoreU(row, di, to.rows + o);
    }
}

template <int Taps, int Stride>
HWY_FLATTEN void pool_placed(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices) {
    for (std::int64_t oy = 0; oy < out.rows; ++oy) {
        const float* first = windows.first + oy * windows.below_distance;
        const std::int64_t first_index = indices.first_index + oy * indices.below_indices;
        std::int64_t* to = indices.to + oy * indices.row_stride;
        const OutputRow row = row_of(out, oy);
        for_outputs<float>(
            row.to, row.count, row.past_caches, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
                constexpr std::int64_t n = std::is_same_v<decltype(d), OneTag<float>> ? 1 : lanes<float>;
                const hn::Rebind<std::int32_t, decltype(d)> di;
                const float* top = first + o * Stride;
                auto best = load_tap<0, Stride, n>(d, top);
                auto place = hn::Set(di, 0);
                const auto challenge = [&](const auto& v, std::int64_t at) HWY_ATTR {
                    const auto stay = stays(best, v);
                    best = hn::IfThenElse(stay, best, v);
                    place = hn::IfThenElse(hn::RebindMask(di, stay), place,
                                           hn::Set(di, static_cast<std::int32_t>(at)));
                };
                if constexpr (Taps > 1) challenge(load_tap<1, Stride, n>(d, top), 1);
                if constexpr (Taps > 2) challenge(load_tap<2, Stride, n>(d, top), 2);
                for (std::int64_t r = 1; r < windows.rows; ++r) {
                    const float* from = top + r * windows.row_distance;
                    challenge(load_tap<0, Stride, n>(d, from), r * indices.row_indices);
                    if constexpr (Taps > 1)
                        challenge(load_tap<1, Stride, n>(d, from), r * indices.row_indices + 1);
                    if constexpr (Taps > 2)
                        challenge(load_tap<2, Stride, n>(d, from), r * indices.row_indices + 2);
                }
                if constexpr (Stride == 2 && n > 1) {
                    best = in_order(d, best);
                    place = in_order(di, place);
                }
                std::int32_t places[n];
                hn::StoreU(place, di, places);
                for (std::int64_t i = 0; i < n; ++i) to[o + i] = first_index + (o + i) * Stride + places[i];
                return finish<Formula::max>(d, best, row, o, stream);
            });
    }
}

void pool_placed_for_target(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices) {
    with_taps(windows,
              [&]<int Taps, int Stride>() HWY_ATTR { pool_placed<Taps, Stride>(windows, out, indices); });
}

bool finish_rows_f32(std::span<const float* const> rows, const OutputRow& out) {
    return finish_rows_in<float>(rows, out);
}
bool finish_rows_f64(std::span<const double* const> rows, const OutputRow& out) {
    return finish_rows_in<double>(rows, out);
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
void make_terms_f32(Formula formula, const float* from, std::int64_t count, float* to) {
    make_terms_in<float>(formula, from, count, to);
}
void make_terms_f64(Formula formula, const float* from, std::int64_t count, double* to) {
    make_terms_in<double>(formula, from, count, to);
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(pool_windows_for_target);
HWY_EXPORT(pool_placed_for_target);
HWY_EXPORT(finish_rows_f32);
HWY_EXPORT(finish_rows_f64);
HWY_EXPORT(fold_rows_f32);
HWY_EXPORT(fold_rows_f64);
HWY_EXPORT(pick_every_f32);
HWY_EXPORT(pick_every_f64);
HWY_EXPORT(make_terms_f32);
HWY_EXPORT(make_terms_f64);
HWY_EXPORT(fold_placed_rows);

void pool_windows(const WindowRows& windows, const OutputRows& out) {
    HWY_DYNAMIC_DISPATCH(pool_windows_for_target)(windows, out);
}
void pool_windows_placed(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices) {
    HWY_DYNAMIC_DISPATCH(pool_placed_for_target)(windows, out, indices);
}
bool finish_rows(std::span<const float* const> rows, const OutputRow& out) {
    return HWY_DYNAMIC_DISPATCH(finish_rows_f32)(rows, out);
}
bool finish_rows(std::span<const double* const> rows, const OutputRow& out) {
    return HWY_DYNAMIC_DISPATCH(finish_rows_f64)(rows, out);
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
void make_terms(Formula formula, const float* from, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(make_terms_f32)(formula, from, count, to);
}
void make_terms(Formula formula, const float* from, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(make_terms_f64)(formula, from, count, to);
}
void fold_placed(std::span<const PlacedRow> rows, std::int64_t count, const PlacedOutput& to) {
    HWY_DYNAMIC_DISPATCH(fold_placed_rows)(rows, count, to);
}
void finish_stores() {
    hwy::FlushStream();
}

}  // namespace iir2d::pool
#endif
