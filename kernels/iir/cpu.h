// SPDX-License-Identifier: MIT
// IIR2D on the CPU: sweeps over filter data, never over a filter id.
#pragma once

#include <vector>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/iir/passes.h"

namespace iir2d::iir {

// What a plan runs.
struct CpuJob {
    std::vector<Pass> horizontal;
    std::vector<Pass> vertical;
    Border border = Border::mirror;
    Start start = Start::truncated;
    Precision precision = Precision::f32;
    int threads = 1;
    bool raster = false;  // in one raster pass (raster.h)
};

// Views are checked, strides resolved, types those of the precision. x and y are the same memory or disjoint.
// std::bad_alloc leaves through it.
Result<void> forward_cpu(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                         const RunControl& control);

}  // namespace iir2d::iir
