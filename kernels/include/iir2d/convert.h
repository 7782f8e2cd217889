// SPDX-License-Identifier: MIT
// Converts between element types on the host.
#pragma once

#include <cstddef>

#include "iir2d/export.h"
#include "iir2d/tensor.h"

namespace iir2d {

// Converts `count` dense elements. Rounds once, to nearest, ties to even; what is beyond the target's range
// becomes an infinity, a NaN stays a NaN. `from` and `to` must not overlap. Thread-safe.
IIR2D_API void convert_elements(const void* from, ElementType from_type, void* to, ElementType to_type,
                                std::size_t count);

}  // namespace iir2d
