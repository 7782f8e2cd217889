// SPDX-License-Identifier: MIT
// Sums in double: included once for each instruction set, after Highway or its stand-in.
#if defined(IIR2D_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef IIR2D_SUMS_INL_H
#undef IIR2D_SUMS_INL_H
#else
#define IIR2D_SUMS_INL_H
#endif

#include <algorithm>
#include <cstddef>

#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// Adds a vector to sums in double, one for each lane.
template <class D, class V>
HWY_INLINE void add_to_sums(D d, const V& v, double* sums) {
    using T = hn::TFromD<D>;
    constexpr std::size_t count = hn::MaxLanes(D());
    if constexpr (sizeof(T) == sizeof(double)) {
        hn::StoreU(hn::Add(hn::LoadU(d, sums), v), d, sums);
    } else {
        alignas(64) T lane[count];
        hn::StoreU(v, d, lane);
        const hn::FixedTag<double, std::max<std::size_t>(count / 2, 1)> half;
        for (std::size_t i = 0; i < count; i += hn::MaxLanes(half))
            hn::StoreU(hn::Add(hn::LoadU(half, sums + i), load_as(half, lane + i)), half, sums + i);
    }
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
