// SPDX-License-Identifier: MIT
// From an element type to the type that it is stored in.
#pragma once

#include "iir2d/tensor.h"
#include "kernels/support/element.h"

namespace iir2d {

inline bool is_16_bit(ElementType type) {
    return element_size(type) == 2;
}

// f() with the storage type of an element type as its template argument.
template <class F>
auto with_storage(ElementType type, F f) {
    switch (type) {
        case ElementType::f64:
            return f.template operator()<double>();
        case ElementType::f16:
            return f.template operator()<Float16>();
        case ElementType::bf16:
            return f.template operator()<BFloat16>();
        case ElementType::f32:
            break;
    }
    return f.template operator()<float>();
}

}  // namespace iir2d
