// SPDX-License-Identifier: MIT
// The backward pass of filters on a GPU: the gradient of their parameters, and both gradients of a run over
// host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/device/cuda/context.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/gpu_gradient_plan.h"
#include "kernels/iir/plan_checks.h"

namespace iir2d::iir {

// Planes share the launches up to so many elements: with fewer a launch would leave much of a GPU idle, with
// more its memory would be taken.
inline constexpr std::int64_t elements_at_once = std::int64_t{1} << 25;

// The gradient of the parameters: one filter for all planes or one for each of them.
struct GpuGradientJob {
    Shape shape;
    FilterDesc at_once;                      // of the planes that are at work at once, with the first filter
    const Filters* filters = nullptr;        // must stay as they are
    std::span<const FilterSpec> specs = {};  // likewise; of each plane, or empty
    GpuGradient first;                       // of the first planes; one filter: of all of them
    std::size_t buffers_bytes = 0;           // of the planes that are at work at once
    std::size_t workspace_bytes = 0;         // the same, and gradients that are still to be added up

    // Values of dp.
    std::size_t values() const;
};

// Makes the job of a descriptor that check_desc() accepted, with the filters it gave, which the job goes on
// reading. `specs` are one for each plane; empty: desc.filter is that of all of them. A filter that is given
// as data is not allowed. At most `most` elements share a launch, but no fewer than a plane has.
Result<GpuGradientJob> make_gpu_gradient_job(const FilterDesc& desc, const Filters& filters,
                                             std::span<const FilterSpec> specs,
                                             std::int64_t most = elements_at_once);

// Launches the job. Views are checked, strides resolved, at device addresses, as dp is. Nothing is allocated
// on the device and nothing waited for; of the launches of planes with a filter each no more than one plane's
// are held at a time.
Result<void> enqueue_gradient(const GpuGradientJob& job, const ConstTensorView& x, const ConstTensorView& dy,
                              cuda::DevicePointer dp, cuda::DevicePointer workspace,
                              const cuda::LaunchOne& launch);

// Runs a job from host to host: uploads, computes what is wanted and downloads it. check_gradient_views()
// gave the views; x is read for dp alone. dp has the values of the job, or is empty.
Result<void> run_backward_cuda(int device_index, const FilterDesc& desc, const Filters& filters,
                               const GradientViews& views, std::span<double> dp, const RunControl& control);

}  // namespace iir2d::iir
