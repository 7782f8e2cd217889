// SPDX-License-Identifier: MIT
// Pools on the CPU, by the loops of fold.h. Small windows are pooled from the input's rows to an output row
// at once (cpu_windows.h), others along x first and then along y (cpu_separable.h); all arithmetic of one
// output stays in one order, so its bits do not depend on threads.
#pragma once

#include <cstdint>
#include <string>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/pool/fold.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/order.h"

namespace iir2d::pool {

// The planes of a checked view, strides resolved.
template <class T>
struct Planes {
    T* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t plane_stride = 0;
    T* row(std::int64_t plane, std::int64_t y) const { return data + plane * plane_stride + y * row_stride; }
};

// Says which loops and arithmetic a plan runs, fixed when it is made.
struct CpuKernel {
    std::string variant;
    ElementType accumulator = ElementType::f32;
    Formula formula = Formula::max;
    bool gathered = false;       // by cpu_gather.h
    bool small_windows = false;  // by cpu_windows.h
    AxisWay along_x = AxisWay::sequence;
    AxisWay along_y = AxisWay::sequence;
    // Likewise of maxima with their places.
    AxisWay pairs_along_x = AxisWay::sequence;
    AxisWay pairs_along_y = AxisWay::sequence;
    // Where its stores, threads and task say auto, static's rules decide.
    Config config = {};
};
CpuKernel choose_cpu_kernel(const PoolDesc& desc, const PoolGeometry& geometry, const Config& config = {});

// Returns the threads for a pass: one where there is less to do than it takes to wake others, but for powers,
// of which each takes long.
int threads_of(const Config& config, int threads, const PoolDesc& desc, const PoolGeometry& geometry,
               PoolUse use);

// Returns the elements of the input that make a task worth its set-up.
constexpr std::int64_t task_elements(const Config& config) {
    return config.task != 0 ? config.task : std::int64_t{1} << 18;
}

// Returns whether forward passes write f32 by stores that may be past the caches.
bool chooses_stores(const PoolDesc& desc, const CpuKernel& kernel, bool with_places);

// Returns whether static's stores are past the caches, where rows begin at multiples of 32 bytes.
bool uses_non_temporal_stores(const PoolGeometry& geometry, const CpuKernel& kernel);

// Returns whether every row begins at a multiple of 32 bytes.
bool has_aligned_rows(const TensorView& view);

// Returns the type in which the contract's tolerance allows so many rounded terms to be added.
ElementType sum_type(std::int64_t additions);

// Views are checked and of the plan's element type; argmax is null or has the output's elements. Throws where
// memory is short.
Result<void> forward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel,
                         const ConstTensorView& x, const TensorView& y, std::int64_t* argmax, int threads,
                         const RunControl& control);

}  // namespace iir2d::pool
