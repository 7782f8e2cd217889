// SPDX-License-Identifier: MIT
// Loads the taps of neighbouring small windows in vectors: included once for each instruction set, after
// Highway or its stand-in.
#if defined(IIR2D_POOL_TAPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_POOL_TAPS_INL_H
#undef IIR2D_POOL_TAPS_INL_H
#else
#define IIR2D_POOL_TAPS_INL_H
#endif

#include "kernels/pool/fold-inl.h"
#include "kernels/pool/pairs-inl.h"
#include "kernels/pool/small_windows.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

// Loads from[Tap], from[Tap + Stride], ..., in the order that in_order() undoes where Stride is 2. Reads no
// element behind the last of them, but for tap 0 one, which is tap 1.
template <int Tap, int Stride, std::int64_t N, class In, class D>
HWY_INLINE hn::Vec<D> load_tap(D d, const In* from) {
    if constexpr (Stride == 1 || N == 1) {
        return load_as(d, from + Tap);
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

// Folds one row's taps, from left to right.
template <Formula F, int Taps, int Stride, std::int64_t N, class In, class D>
HWY_INLINE hn::Vec<D> fold_taps(D d, const In* from) {
    auto result = term<F>(load_tap<0, Stride, N>(d, from));
    if constexpr (Taps > 1) result = join<is_max(F)>(result, term<F>(load_tap<1, Stride, N>(d, from)));
    if constexpr (Taps > 2) result = join<is_max(F)>(result, term<F>(load_tap<2, Stride, N>(d, from)));
    return result;
}

// Folds maxima as fold_taps(), but as if there were no NaN. Adds the elements to `sum`, which is NaN where
// one of them is.
template <Formula F, int Taps, int Stride, std::int64_t N, class In, class D>
HWY_INLINE hn::Vec<D> fold_number_taps(D d, const In* from, hn::Vec<D>& sum) {
    const auto first = term<F>(load_tap<0, Stride, N>(d, from));
    auto result = first;
    sum = hn::Add(sum, first);
    const auto challenge = [&]<int Tap>() HWY_ATTR {
        const auto later = term<F>(load_tap<Tap, Stride, N>(d, from));
        result = larger(result, later);
        // At stride 1 the first and the last tap of all windows are all elements.
        if constexpr (Stride > 1 || Tap == Taps - 1 || N == 1) sum = hn::Add(sum, later);
    };
    if constexpr (Taps > 1) challenge.template operator()<1>();
    if constexpr (Taps > 2) challenge.template operator()<2>();
    return result;
}

HWY_INLINE OutputRow row_of(const OutputRows& out, std::int64_t oy) {
    return {.to = out.to + oy * out.row_stride,
            .count = out.count,
            .formula = out.formula,
            .divisors = {out.divisor, nullptr},
            .non_temporal = out.non_temporal};
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

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
