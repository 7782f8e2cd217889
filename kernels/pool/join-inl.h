// SPDX-License-Identifier: MIT
// Joins parts of windows in vectors: included once for each instruction set, after Highway or its stand-in.
#if defined(IIR2D_POOL_JOIN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_POOL_JOIN_INL_H
#undef IIR2D_POOL_JOIN_INL_H
#else
#define IIR2D_POOL_JOIN_INL_H
#endif

#include "kernels/pool/doubling.h"
#include "kernels/pool/fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

template <Join J, class V>
HWY_INLINE V joined(const V& first, const V& later) {
    if constexpr (J == Join::larger) {
        return larger(first, later);
    } else {
        return join<J == Join::larger_or_nan>(first, later);
    }
}

// Calls use(count) with a count from 1 to 7 as a constant.
template <class Use>
HWY_INLINE void with_singles(std::int64_t count, const Use& use) {
    switch (count) {
        case 1:
            return use(std::integral_constant<std::int64_t, 1>());
        case 2:
            return use(std::integral_constant<std::int64_t, 2>());
        case 3:
            return use(std::integral_constant<std::int64_t, 3>());
        case 4:
            return use(std::integral_constant<std::int64_t, 4>());
        case 5:
            return use(std::integral_constant<std::int64_t, 5>());
        case 6:
            return use(std::integral_constant<std::int64_t, 6>());
        default:
            return use(std::integral_constant<std::int64_t, 7>());
    }
}

// Calls use.operator()<J>() with the join as a constant.
template <class Use>
HWY_INLINE auto with_join(Join join, const Use& use) {
    switch (join) {
        case Join::sum:
            return use.template operator()<Join::sum>();
        case Join::larger:
            return use.template operator()<Join::larger>();
        default:
            return use.template operator()<Join::larger_or_nan>();
    }
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
