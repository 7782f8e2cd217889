// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/column_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/iir/sweep_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

// Columns of a strip so narrow that all its rows are swept at once.
constexpr std::int64_t narrow = 128;

template <class S, class A>
HWY_INLINE void columns(const ColumnsSweep<S, A>& part) {
    // A few rows at once, so that states are loaded and stored less often than samples, and memory is still
    // read along rows.
    const std::int64_t at_once = part.columns < narrow ? part.rows : 4;
    for (std::int64_t r = 0; r < part.rows; r += at_once) {
        const std::int64_t count = std::min(at_once, part.rows - r);
        const S* from = part.from + r * part.from_stride;
        S* to = part.to + r * part.to_stride;
        const auto down = [&](const auto& put) {
            sweep_cascade(*part.cascade, from, part.from_stride, to, part.to_stride, count, part.columns,
                          part.states, put);
        };
        if (part.add != nullptr) {
            down(AddAndStore<S>{to, part.to_stride, part.add + r * part.add_stride, part.add_stride});
        } else {
            down(Store<S>{to, part.to_stride});
        }
    }
}

void columns_f32(const ColumnsSweep<float, float>& part) {
    columns(part);
}
void columns_mixed(const ColumnsSweep<float, double>& part) {
    columns(part);
}
void columns_f64(const ColumnsSweep<double, double>& part) {
    columns(part);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_mixed);
HWY_EXPORT(columns_f64);

void sweep_columns(const ColumnsSweep<float, float>& part) {
    HWY_DYNAMIC_DISPATCH(columns_f32)(part);
}
void sweep_columns(const ColumnsSweep<float, double>& part) {
    HWY_DYNAMIC_DISPATCH(columns_mixed)(part);
}
void sweep_columns(const ColumnsSweep<double, double>& part) {
    HWY_DYNAMIC_DISPATCH(columns_f64)(part);
}

}  // namespace iir2d::iir
#endif
