// SPDX-License-Identifier: MIT
// Makes and runs IIR jobs on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/repeated_launches.h"
#include "kernels/iir/gpu_plan.h"
#include "kernels/iir/plan_checks.h"

namespace iir2d::iir {

// A plan's work on a GPU, a filter or its adjoint: any element type, one filter for all planes or one for
// each of them.
struct GpuJob {
    Shape shape;
    ElementType element = ElementType::f32;
    std::vector<GpuFilter> filters;
    bool repeats_as_graph = true;
    std::size_t workspace_bytes = 0;  // planes of 16-bit elements as f32, then the filters' scratch
};

// Returns what check_desc() let through, with the filters it gave.
GpuJob make_gpu_job(const FilterDesc& desc, const Filters& filters, const GpuWays& ways = {});
// Makes the same of the adjoint: x is dy, y is dx.
GpuJob make_gpu_adjoint_job(const FilterDesc& desc, const Filters& filters);

// Checks device memory of the caller's for a job that needs so many bytes.
Result<void> check_workspace(const void* workspace, std::size_t bytes, std::size_t needed);

// Launches the job. Views are checked, strides resolved, at device addresses; y may be x. Nothing is
// allocated and nothing waited for.
Result<void> enqueue(const GpuJob& job, const ConstTensorView& x, const TensorView& y,
                     cuda::DevicePointer workspace, const cuda::LaunchOne& launch);

// Enqueues one dense plane in the context that the caller has made current; the workspace is allocated and
// freed in the stream's order.
Result<void> enqueue_on_current_context(cuda::StreamHandle stream, const FilterDesc& desc, const void* x,
                                        void* y);
// Waits for the stream, in that context.
Result<void> synchronize_current_context(cuda::StreamHandle stream);

// Runs a job from host to host: uploads, filters, downloads. x and y are the same or apart. `repeats` is the
// job's.
Result<void> run_cuda(int device_index, const GpuJob& job, cuda::RepeatedLaunches& repeats,
                      const ConstTensorView& x, const TensorView& y, const RunControl& control);

// Runs a job from device memory to device memory, and waits until it is done.
Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuJob& job,
                           cuda::RepeatedLaunches& repeats, const ConstTensorView& x, const TensorView& y,
                           const RunControl& control);

}  // namespace iir2d::iir
