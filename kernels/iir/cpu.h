// SPDX-License-Identifier: MIT
// IIR2D on the CPU: sweeps over filter data, never over a filter id.
#pragma once

#include <cstdint>
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

// Threads for that many samples: below some, starting them costs more than it saves.
constexpr int threads_worth(const CpuJob& job, std::int64_t samples) {
    return samples < (std::int64_t{1} << 16) ? 1 : job.threads;
}

// Calls f<Sample, Arithmetic>() with the types that a precision stores and computes in.
template <class F>
auto with_types(Precision precision, F&& f) {
    switch (precision) {
        case Precision::f32:
            return f.template operator()<float, float>();
        case Precision::mixed:
            return f.template operator()<float, double>();
        case Precision::f64:
            break;
    }
    return f.template operator()<double, double>();
}

// Views are checked, strides resolved, types those of the precision. x and y are the same memory or disjoint.
// std::bad_alloc leaves through it.
Result<void> forward_cpu(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                         const RunControl& control);

}  // namespace iir2d::iir
