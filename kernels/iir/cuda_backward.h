// SPDX-License-Identifier: MIT
// The backward pass of filters on a GPU: the gradient of their parameters, and both gradients of a run over
// host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/device/cuda/context.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/gpu_gradient_plan.h"
#include "kernels/iir/plan_checks.h"

namespace iir2d::iir {

// The gradient of the parameters: one filter for all planes or one for each of them.
struct GpuGradientJob {
    Shape shape;
    std::vector<GpuGradient> gradients;
    std::size_t buffers_bytes = 0;    // of the planes that are at work at once
    std::size_t workspace_bytes = 0;  // the same, and gradients that are still to be added up

    // Values of dp.
    std::size_t values() const;
};

// What check_desc() let through, with the filters it gave. `specs` are of each plane; empty: desc.filter is
// of all of them. Never a filter that is given as data.
Result<GpuGradientJob> make_gpu_gradient_job(const FilterDesc& desc, const Filters& filters,
                                             std::span<const FilterSpec> specs);

// Launches the job. Views are checked, strides resolved, at device addresses, as dp is. Nothing is allocated
// and nothing waited for.
Result<void> enqueue_gradient(const GpuGradientJob& job, const ConstTensorView& x, const ConstTensorView& dy,
                              cuda::DevicePointer dp, cuda::DevicePointer workspace,
                              const cuda::LaunchOne& launch);

// Host to host: uploads, computes what is wanted and downloads it. Views are check_gradient_views()'s; x is
// read for dp alone. dp has the values of the job, or is empty.
Result<void> run_backward_cuda(int device_index, const FilterDesc& desc, const Filters& filters,
                               const GradientViews& views, std::span<double> dp, const RunControl& control);

}  // namespace iir2d::iir
