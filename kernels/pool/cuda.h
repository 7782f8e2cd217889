// SPDX-License-Identifier: MIT
// Runs pooling jobs on a GPU.
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

// Launches a forward pass. Views are checked, strides resolved, at device addresses. Nothing is allocated and
// nothing waited for.
Result<void> enqueue(const GpuPooling& pooling, const ConstTensorView& x, const TensorView& y,
                     const std::int64_t* argmax, const cuda::LaunchOne& launch);

// Enqueues the backward pass; what the op does not read is empty.
Result<void> enqueue_backward(const GpuPooling& pooling, const Backward& data, const cuda::LaunchOne& launch);

// Runs from host to host: uploads, pools, downloads. argmax is null or has the output's elements.
Result<void> run_cuda(int device_index, const GpuPooling& pooling, const ConstTensorView& x,
                      const TensorView& y, std::int64_t* argmax, const RunControl& control);

// Runs the backward pass from host to host. Views that the op does not read are empty.
Result<void> run_backward_cuda(int device_index, const GpuPooling& pooling, const Backward& data,
                               const RunControl& control);

// Runs from device memory to device memory, without argmax, and waits until it is done.
Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                           const ConstTensorView& x, const TensorView& y, const RunControl& control);

// The places of maxima that a backward pass has to find again: as many as the output has elements, which
// come along.
struct PlacesToFind {
    Shape output;
    ElementType element;
};
// Runs the backward pass from device memory to device memory, and waits until it is done. With places to
// find, data.x is set and data.argmax is not.
Result<void> run_backward_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                                    Backward data, const std::optional<PlacesToFind>& find,
                                    const RunControl& control);

}  // namespace iir2d::pool
