// SPDX-License-Identifier: MIT
// Loads every second element of a row in vectors: included once for each instruction set, after Highway or
// its stand-in.
#if defined(IIR2D_POOL_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_POOL_PAIRS_INL_H
#undef IIR2D_POOL_PAIRS_INL_H
#else
#define IIR2D_POOL_PAIRS_INL_H
#endif

#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// Returns every second lane of two vectors, from lane 0 or from lane 1. With AVX2, whose vectors consist of
// 128-bit blocks, this takes one instruction if the blocks may lie in another order, which in_order() undoes
// at the end.
#if defined(IIR2D_HAVE_HIGHWAY) && HWY_TARGET == HWY_AVX2
HWY_INLINE Vector<float> even_lanes(Tag<float>, Vector<float> high, Vector<float> low) {
    return Vector<float>{_mm256_shuffle_ps(low.raw, high.raw, _MM_SHUFFLE(2, 0, 2, 0))};
}
HWY_INLINE Vector<float> odd_lanes(Tag<float>, Vector<float> high, Vector<float> low) {
    return Vector<float>{_mm256_shuffle_ps(low.raw, high.raw, _MM_SHUFFLE(3, 1, 3, 1))};
}
template <class D>
HWY_INLINE hn::Vec<D> in_order(D d, const hn::Vec<D>& v) {
    if constexpr (std::is_same_v<D, Tag<float>> || std::is_same_v<D, Tag<std::int32_t>>) {
        const Tag<double> pairs;
        return hn::BitCast(
            d, Vector<double>{_mm256_permute4x64_pd(hn::BitCast(pairs, v).raw, _MM_SHUFFLE(3, 1, 2, 0))});
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

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
