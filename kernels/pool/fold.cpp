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
#include "kernels/support/one_lane.h"
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

// from[Tap], from[Tap + Stride], ... Reads no element between the last of them and the next vector's first.
template <int Tap, int Stride, std::int64_t N, class In, class D>
HWY_INLINE hn::Vec<D> load_tap(D d, const In* from) {
    if constexpr (Stride == 1 || N == 1) {
        return load(d, from + Tap);
    } else {
        const hn::Rebind<In, D> di;
        // An odd tap is the second of each pair that begins before it, so that nothing behind the last window
        // is read; so is tap 2 of the pairs that begin with tap 1.
        const In* pairs = from + (Tap == 0 ? 0 : Tap - 1);
        const auto low = hn::LoadU(di, pairs);
        const auto high = hn::LoadU(di, pairs + N);
        const auto picked = [&] {
            if constexpr (Tap == 0) {
                return hn::ConcatEven(di, high, low);
            } else {
                return hn::ConcatOdd(di, high, low);
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

// Sums in Acc of elements of T are accurate in this range; a wider type than T's holds every sum.
template <Formula F, class Acc, class T, class D>
HWY_INLINE auto trusted(D d, const hn::Vec<D>& sum) {
    using Limits = std::numeric_limits<Acc>;
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

template <class Out, class D>
HWY_INLINE auto as_stored(D d, const hn::Vec<D>& v) {
    if constexpr (sizeof(Out) == sizeof(hn::TFromD<D>)) {
        static_cast<void>(d);
        return v;
    } else {
        return hn::DemoteTo(hn::Rebind<Out, D>(), v);
    }
}

// One vector of outputs, from their folded windows. False when there is one that is not accurate.
template <Formula F, class Acc, class Out, class D>
HWY_INLINE bool finish(D d, const hn::Vec<D>& folded, const OutputRow<Out>& out, std::int64_t o,
                       bool stream) {
    const hn::Rebind<Out, D> dout;
    const auto put = [&](const auto& stored) {
        if (stream) {
            hn::Stream(stored, dout, out.to + o);
        } else {
            hn::StoreU(stored, dout, out.to + o);
        }
    };
    if constexpr (is_max(F)) {
        put(as_stored<Out>(d, folded));
        return true;
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
        if constexpr (sizeof(Acc) > sizeof(Out)) {
            // Every sum is accurate. One kind of NaN, whichever operand it came from.
            const auto stored = as_stored<Out>(d, hn::IfThenElse(hn::IsNaN(result), nan, result));
            if (out.only_nan) {
                const auto old = hn::LoadU(dout, out.to + o);
                put(hn::IfThenElse(hn::IsNaN(old), stored, old));
            } else {
                put(stored);
            }
            return true;
        } else {
            const auto good = trusted<F, Acc, Out>(d, folded);
            put(as_stored<Out>(d, hn::IfThenElse(good, result, nan)));
            return hn::AllTrue(d, good);
        }
    }
}

// Calls body(d, o, stream) so that the outputs from 0 to `count` are all made, some of them twice.
template <class Acc, class Out, class Body>
HWY_INLINE void for_outputs(const OutputRow<Out>& out, const Body& body) {
    constexpr std::int64_t n = lanes<Acc>;
    if (out.count < n) {
        for (std::int64_t o = 0; o < out.count; ++o) body(OneTag<Acc>(), o, false);
        return;
    }
    const Tag<Acc> d;
    std::int64_t o = 0;
    if (constexpr std::size_t bytes = n * sizeof(Out); out.past_caches && bytes >= 16) {
        const std::size_t behind = reinterpret_cast<std::uintptr_t>(out.to) % bytes;
        if (behind != 0) {
            body(d, 0, false);
            o = static_cast<std::int64_t>((bytes - behind) / sizeof(Out));
        }
        for (; o + n <= out.count; o += n) body(d, o, true);
    } else {
        for (; o + n <= out.count; o += n) body(d, o, false);
    }
    if (o < out.count) body(d, out.count - n, false);
}

// Rows: how many there are, 0 when that is not known here. Terms: not yet made.
template <Formula F, bool Terms, int Rows, int Taps, int Stride, class Acc, class In, class Out>
HWY_INLINE bool pool_row(const In* const* rows, std::size_t row_count, const OutputRow<Out>& out) {
    constexpr Formula made = is_max(F) ? Formula::max : Formula::avg;  // whose terms are the elements
    constexpr Formula of_element = Terms ? F : made;
    const In* known[Rows > 0 ? Rows : 1];
    for (int r = 0; r < Rows; ++r) known[r] = rows[r];
    bool good = true;
    for_outputs<Acc>(out, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
        constexpr std::int64_t n = std::is_same_v<decltype(d), OneTag<Acc>> ? 1 : lanes<Acc>;
        const auto row_at = [&](const In* row) HWY_ATTR {
            return fold_taps<of_element, Taps, Stride, n>(d, row + o * Stride);
        };
        auto folded = row_at(Rows > 0 ? known[0] : rows[0]);
        if constexpr (Rows > 0) {
            for (int r = 1; r < Rows; ++r) folded = join<is_max(F)>(folded, row_at(known[r]));
        } else {
            for (std::size_t r = 1; r < row_count; ++r) folded = join<is_max(F)>(folded, row_at(rows[r]));
        }
        good &= finish<F, Acc>(d, folded, out, o, stream);
    });
    return good;
}

template <Formula F, int Taps, int Stride, class Acc, class In, class Out>
bool pool_windows_of(const In* const* rows, std::size_t row_count, const OutputRow<Out>& out) {
    if constexpr (Taps > 1 && sizeof(Acc) == sizeof(Out)) {
        // Square windows are the usual ones.
        if (row_count == Taps) return pool_row<F, true, Taps, Taps, Stride, Acc>(rows, row_count, out);
    }
    return pool_row<F, true, 0, Taps, Stride, Acc>(rows, row_count, out);
}

template <Formula F, class Acc, class In, class Out>
bool pool_windows_by(const In* const* rows, std::size_t row_count, int taps, int stride,
                     const OutputRow<Out>& out) {
    if (taps == 1) return pool_windows_of<F, 1, 1, Acc>(rows, row_count, out);
    if (taps == 2 && stride == 1) return pool_windows_of<F, 2, 1, Acc>(rows, row_count, out);
    if (taps == 2) return pool_windows_of<F, 2, 2, Acc>(rows, row_count, out);
    if (stride == 1) return pool_windows_of<F, 3, 1, Acc>(rows, row_count, out);
    return pool_windows_of<F, 3, 2, Acc>(rows, row_count, out);
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

template <class Acc>
bool pool_windows_in(std::span<const float* const> rows, int taps, int stride, const OutputRow<float>& out) {
    return with_formula(out.formula, [&]<Formula F>() HWY_ATTR {
        if constexpr (is_max(F) && !std::is_same_v<Acc, float>) {
            return true;  // a maximum is always accurate
        } else {
            return pool_windows_by<F, Acc>(rows.data(), rows.size(), taps, stride, out);
        }
    });
}

template <class Acc>
bool finish_rows_in(std::span<const Acc* const> rows, const OutputRow<float>& out) {
    return with_formula(out.formula, [&]<Formula F>() HWY_ATTR {
        if constexpr (is_max(F) && !std::is_same_v<Acc, float>) {
            return true;
        } else {
            return pool_row<F, false, 0, 1, 1, Acc>(rows.data(), rows.size(), out);
        }
    });
}

template <bool Max, class Acc>
HWY_INLINE void fold_rows_by(const Acc* const* rows, std::size_t row_count, std::int64_t count, Acc* to) {
    const Tag<Acc> d;
    static_assert(lanes<Acc> <= row_slack);
    // Those that doubling a window takes.
    if (row_count == 2 || row_count == 3) {
        const Acc* a = rows[0];
        const Acc* b = rows[1];
        const Acc* c = rows[row_count - 1];
        for (std::int64_t o = 0; o < count; o += lanes<Acc>) {
            auto folded = join<Max>(hn::LoadU(d, a + o), hn::LoadU(d, b + o));
            if (row_count == 3) folded = join<Max>(folded, hn::LoadU(d, c + o));
            hn::StoreU(folded, d, to + o);
        }
        return;
    }
    for (std::int64_t o = 0; o < count; o += lanes<Acc>) {
        auto folded = hn::LoadU(d, rows[0] + o);
        for (std::size_t r = 1; r < row_count; ++r) folded = join<Max>(folded, hn::LoadU(d, rows[r] + o));
        hn::StoreU(folded, d, to + o);
    }
}

template <class Acc>
void fold_rows_in(bool maximum, std::span<const Acc* const> rows, std::int64_t count, Acc* to) {
    if (maximum) {
        fold_rows_by<true>(rows.data(), rows.size(), count, to);
    } else {
        fold_rows_by<false>(rows.data(), rows.size(), count, to);
    }
}

template <class Acc>
void make_terms_in(Formula formula, const float* from, std::int64_t count, Acc* to) {
    with_formula(formula, [&]<Formula F>() HWY_ATTR {
        const Tag<Acc> d;
        std::int64_t i = 0;
        for (; i + lanes<Acc> <= count; i += lanes<Acc>) hn::StoreU(term<F>(load(d, from + i)), d, to + i);
        const OneTag<Acc> one;
        for (; i < count; ++i) hn::StoreU(term<F>(load(one, from + i)), one, to + i);
    });
}

void fold_placed_rows(std::span<const PlacedRow> rows, std::int64_t count, const PlacedOutput& to) {
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
void pool_placed(std::span<const float* const> rows, const OutputRow<float>& out, std::int64_t first_index,
                 std::int64_t row_distance, std::int64_t* indices) {
    for_outputs<float>(out, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
        constexpr std::int64_t n = std::is_same_v<decltype(d), OneTag<float>> ? 1 : lanes<float>;
        const hn::Rebind<std::int32_t, decltype(d)> di;
        const float* top = rows[0] + o * Stride;
        auto best = load_tap<0, Stride, n>(d, top);
        auto place = hn::Set(di, 0);
        const auto challenge = [&](const auto& v, std::int64_t at) HWY_ATTR {
            const auto stay = stays(best, v);
            best = hn::IfThenElse(stay, best, v);
            place =
                hn::IfThenElse(hn::RebindMask(di, stay), place, hn::Set(di, static_cast<std::int32_t>(at)));
        };
        if constexpr (Taps > 1) challenge(load_tap<1, Stride, n>(d, top), 1);
        if constexpr (Taps > 2) challenge(load_tap<2, Stride, n>(d, top), 2);
        for (std::size_t r = 1; r < rows.size(); ++r) {
            const float* from = rows[r] + o * Stride;
            const std::int64_t row = static_cast<std::int64_t>(r) * row_distance;
            challenge(load_tap<0, Stride, n>(d, from), row);
            if constexpr (Taps > 1) challenge(load_tap<1, Stride, n>(d, from), row + 1);
            if constexpr (Taps > 2) challenge(load_tap<2, Stride, n>(d, from), row + 2);
        }
        finish<Formula::max, float>(d, best, out, o, stream);
        std::int32_t places[n];
        hn::StoreU(place, di, places);
        for (std::int64_t i = 0; i < n; ++i) indices[o + i] = first_index + (o + i) * Stride + places[i];
    });
}

void pool_windows_placed_in(std::span<const float* const> rows, int taps, int stride,
                            const OutputRow<float>& out, std::int64_t first_index, std::int64_t row_distance,
                            std::int64_t* indices) {
    const auto by = [&]<int Taps, int Stride>() HWY_ATTR {
        pool_placed<Taps, Stride>(rows, out, first_index, row_distance, indices);
    };
    if (taps == 1) return by.template operator()<1, 1>();
    if (taps == 2 && stride == 1) return by.template operator()<2, 1>();
    if (taps == 2) return by.template operator()<2, 2>();
    if (stride == 1) return by.template operator()<3, 1>();
    by.template operator()<3, 2>();
}

bool pool_windows_f32(std::span<const float* const> rows, int taps, int stride, const OutputRow<float>& out) {
    return pool_windows_in<float>(rows, taps, stride, out);
}
bool pool_windows_f64(std::span<const float* const> rows, int taps, int stride, const OutputRow<float>& out) {
    return pool_windows_in<double>(rows, taps, stride, out);
}
bool finish_rows_f32(std::span<const float* const> rows, const OutputRow<float>& out) {
    return finish_rows_in<float>(rows, out);
}
bool finish_rows_f64(std::span<const double* const> rows, const OutputRow<float>& out) {
    return finish_rows_in<double>(rows, out);
}
void fold_rows_f32(bool maximum, std::span<const float* const> rows, std::int64_t count, float* to) {
    fold_rows_in<float>(maximum, rows, count, to);
}
void fold_rows_f64(bool maximum, std::span<const double* const> rows, std::int64_t count, double* to) {
    fold_rows_in<double>(maximum, rows, count, to);
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

HWY_EXPORT(pool_windows_f32);
HWY_EXPORT(pool_windows_f64);
HWY_EXPORT(finish_rows_f32);
HWY_EXPORT(finish_rows_f64);
HWY_EXPORT(fold_rows_f32);
HWY_EXPORT(fold_rows_f64);
HWY_EXPORT(make_terms_f32);
HWY_EXPORT(make_terms_f64);
HWY_EXPORT(fold_placed_rows);
HWY_EXPORT(pool_windows_placed_in);

template <>
bool pool_windows<float>(std::span<const float* const> rows, int taps, int stride,
                         const OutputRow<float>& out) {
    return HWY_DYNAMIC_DISPATCH(pool_windows_f32)(rows, taps, stride, out);
}
template <>
bool pool_windows<double>(std::span<const float* const> rows, int taps, int stride,
                          const OutputRow<float>& out) {
    return HWY_DYNAMIC_DISPATCH(pool_windows_f64)(rows, taps, stride, out);
}
bool finish_rows(std::span<const float* const> rows, const OutputRow<float>& out) {
    return HWY_DYNAMIC_DISPATCH(finish_rows_f32)(rows, out);
}
bool finish_rows(std::span<const double* const> rows, const OutputRow<float>& out) {
    return HWY_DYNAMIC_DISPATCH(finish_rows_f64)(rows, out);
}
void fold_rows(bool maximum, std::span<const float* const> rows, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(fold_rows_f32)(maximum, rows, count, to);
}
void fold_rows(bool maximum, std::span<const double* const> rows, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(fold_rows_f64)(maximum, rows, count, to);
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
void pool_windows_placed(std::span<const float* const> rows, int taps, int stride,
                         const OutputRow<float>& out, std::int64_t first_index, std::int64_t row_distance,
                         std::int64_t* indices) {
    HWY_DYNAMIC_DISPATCH(pool_windows_placed_in)
    (rows, taps, stride, out, first_index, row_distance, indices);
}
void finish_stores() {
    hwy::FlushStream();
}

}  // namespace iir2d::pool
#endif
