// SPDX-License-Identifier: MIT
#include "kernels/support/c_tensor.h"

namespace iir2d::support {

Result<void> check_c_strides(const CTensor& tensor, Use use) {
    if (tensor.is_dense()) return {};
    const auto stride = [&](int i) {
        return std::string(tensor.name) + "_stride[" + std::to_string(i) + "] is " +
               std::to_string(tensor.strides[i]);
    };
    const auto wrong = [](const std::string& message) {
        return std::unexpected(Error{ErrorCode::invalid_dimension, message});
    };
    if (tensor.row() < tensor.shape.w) {
        return wrong(stride(2) + ": a row has " + std::to_string(tensor.shape.w) +
                     " elements, give at least as many, or 0 for all three strides of dense planes");
    }
    for (const int i : {0, 1}) {
        if (tensor.strides[i] < 0) return wrong(stride(i) + ": strides are not negative");
    }
    const Result<Strides> resolved =
        resolve_strides(tensor.name, tensor.at(static_cast<const void*>(nullptr)));
    if (!resolved) return std::unexpected(resolved.error());
    if (use == Use::read) return {};
    return check_apart(tensor.name, tensor.shape, *resolved);
}

}  // namespace iir2d::support
