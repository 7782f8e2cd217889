// SPDX-License-Identifier: MIT
// Tensors as the C interface describes them: a shape, an element type and the distances of n, c and row.
#pragma once

#include <cstdint>
#include <string>

#include "iir2d/error.h"
#include "iir2d/tensor.h"
#include "kernels/support/view.h"

namespace iir2d::support {

// What a call knows of a tensor before it looks at the address.
struct CTensor {
    const char* name;
    ElementType element;
    Shape shape;
    std::int64_t strides[3];  // of n, c and row; all three 0: dense; 0 for n or c: repeated

    TensorView at(void* data) const { return {data, element, shape, row(), plane(), image()}; }
    ConstTensorView at(const void* data) const { return {data, element, shape, row(), plane(), image()}; }

    bool is_dense() const { return strides[0] == 0 && strides[1] == 0 && strides[2] == 0; }
    std::int64_t row() const { return strides[2]; }
    std::int64_t plane() const { return is_dense() || strides[1] != 0 ? strides[1] : repeated; }
    std::int64_t image() const { return is_dense() || strides[0] != 0 ? strides[0] : repeated; }
};

// Whether a tensor is only read, and may then repeat planes.
enum class Use { read, written };

// Checks the strides of a tensor whose shape is good, before its address and its element type are looked at.
Result<void> check_c_strides(const CTensor& tensor, Use use);

}  // namespace iir2d::support
