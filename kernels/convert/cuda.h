// SPDX-License-Identifier: MIT
// Conversions between element types on a GPU.
#pragma once

#include <cstdint>

#include "iir2d/error.h"
#include "iir2d/tensor.h"
#include "kernels/device/cuda/context.h"

namespace iir2d::convert {

// `count` dense elements of x to y, apart from it or, between equal types, equal to it. Asynchronous in the
// stream's order.
Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, ElementType from,
                     cuda::DevicePointer x, ElementType to, cuda::DevicePointer y, std::int64_t count);

// Planes of x to y, of the same shape, at device addresses with their strides resolved: one is f32, the other
// f16 or bf16, rounded to nearest, ties to even; or y is f64. Asynchronous.
Result<void> enqueue_planes(const ConstTensorView& x, const TensorView& y, const cuda::LaunchOne& launch);

}  // namespace iir2d::convert
