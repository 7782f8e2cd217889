// SPDX-License-Identifier: MIT
// IIR jobs on a GPU.
#pragma once

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/repeated_launches.h"
#include "kernels/iir/gpu_plan.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

// Device planes for the launches.
GpuPlanes device_planes(const void* data, const support::Strides& strides);

// Asynchronous in the stream's order; nothing is allocated and nothing waited for. y may be x.
Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, const GpuFilter& filter,
                     const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer workspace);

// The same in the context that the caller has made current, of one dense plane; the workspace comes and goes
// in the stream's order.
Result<void> enqueue_on_current_context(cuda::StreamHandle stream, const FilterDesc& desc, const void* x,
                                        void* y);
// Waits for the stream, in that context.
Result<void> synchronize_current_context(cuda::StreamHandle stream);

// Host to host: upload, filter, download. x and y are the same or apart. `repeats` is the job's.
Result<void> run_cuda(int device_index, const GpuFilter& filter, cuda::RepeatedLaunches& repeats,
                      const ConstTensorView& x, const TensorView& y, const RunControl& control);

// Device to device; what is enqueued is waited for.
Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuFilter& filter,
                           cuda::RepeatedLaunches& repeats, const GpuPlanes& x, const GpuPlanes& y,
                           const RunControl& control);

}  // namespace iir2d::iir
