// SPDX-License-Identifier: MIT
// Checks the memory that a pass is given, on every device and for every interface. An error names
// the tensor; nothing is read or written before all of it is good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/geometry.h"

namespace iir2d::pool {

struct ForwardViews {
    ConstTensorView x;
    TensorView y;
};

// Returns both views with their strides resolved.
Result<ForwardViews> check_forward(const PoolDesc& desc, const PoolGeometry& geometry,
                                   const ConstTensorView& x, const TensorView& y);

// Returns the views that are read, and dx, with their strides resolved; the others stay empty.
Result<Backward> check_backward(const PoolDesc& desc, const PoolGeometry& geometry,
                                const BackwardReads& reads, const ConstTensorView& x,
                                const ConstTensorView& y, const ConstTensorView& dy, const TensorView& dx);

// The places of an output's maxima at an address; none where it is null.
template <class Places>
std::span<Places> places(Places* argmax, const Shape& output) {
    if (argmax == nullptr) return {};
    return {argmax, static_cast<std::size_t>(output.n * output.c * output.h * output.w)};
}

// Checks places of maxima, empty where they are not wanted: that the op has them, that they lie where numbers
// of 64 bits may and apart from what is read or written beside them, and that there is one for each element
// of the output.
Result<void> check_argmax(const PoolDesc& desc, const ForwardViews& views,
                          std::span<const std::int64_t> argmax);
Result<void> check_argmax(const PoolDesc& desc, const Backward& data, std::span<const std::int64_t> argmax);

}  // namespace iir2d::pool
