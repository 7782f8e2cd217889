// SPDX-License-Identifier: MIT
// Pooling jobs on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/device/cuda/context.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/gpu_plan.h"

namespace iir2d::pool {

// Asynchronous in the stream's order; nothing is allocated and nothing waited for.
Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, const GpuPooling& pooling,
                     const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer argmax);

// The same for the backward pass.
Result<void> enqueue_backward(cuda::Context& context, cuda::StreamHandle stream, const GpuPooling& pooling,
                              const GpuGradients& data);

// The same in the context that the caller has made current.
Result<void> enqueue_on_current_context(cuda::StreamHandle stream, const GpuPooling& pooling,
                                        const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer argmax);
Result<void> enqueue_backward_on_current_context(cuda::StreamHandle stream, const GpuPooling& pooling,
                                                 const GpuGradients& data);

// Host to host: upload, pool, download. argmax is null or has the output's elements.
Result<void> run_cuda(int device_index, const GpuPooling& pooling, const ConstTensorView& x,
                      const TensorView& y, std::int64_t* argmax, const RunControl& control);

// Host to host. Views that the op does not read are empty.
Result<void> run_backward_cuda(int device_index, const GpuPooling& pooling, const Backward& data,
                               const RunControl& control);

// Device to device, without argmax; what is enqueued is waited for.
Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                           const GpuPlanes& x, const GpuPlanes& y, const RunControl& control);

// The places of maxima that a backward pass has to find again: as many as the output has elements, each of
// `element_bytes`.
struct PlacesToFind {
    Shape output;
    std::size_t element_bytes;
};
// Device to device; what is enqueued is waited for. With places to find, data.x is set and data.argmax is
// not.
Result<void> run_backward_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                                    GpuGradients data, const std::optional<PlacesToFind>& find,
                                    const RunControl& control);

}  // namespace iir2d::pool
