// SPDX-License-Identifier: MIT
// Pooling on the CPU. Each kernel pools every needed input row along x once, then combines those rows along y
// (cpu_rows.h); all arithmetic of one output stays in one order, so its bits do not depend on threads.
#pragma once

#include <cstdint>
#include <string>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/pool/geometry.h"

namespace iir2d::pool {

// The planes of a checked view, strides resolved.
template <class T>
struct Planes {
    T* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t plane_stride = 0;
    T* row(std::int64_t plane, std::int64_t y) const { return data + plane * plane_stride + y * row_stride; }
};

// Which arithmetic a plan runs, fixed when it is made.
struct CpuKernel {
    std::string variant;
    ElementType accumulator = ElementType::f32;
};
CpuKernel choose_cpu_kernel(const PoolDesc& desc, const PoolGeometry& geometry);

// Views are checked and of the plan's element type; argmax is null or has the output's elements.
Result<void> forward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel,
                         const ConstTensorView& x, const TensorView& y, std::int64_t* argmax, int threads,
                         const RunControl& control);

}  // namespace iir2d::pool
