// SPDX-License-Identifier: MIT
// Checks of the tensor views that a run is handed.
#pragma once

#include <cstdint>
#include <string_view>

#include "iir2d/error.h"
#include "iir2d/tensor.h"

namespace iir2d::support {

// Strides with their 0 ("dense") resolved.
struct Strides {
    std::int64_t row = 0;
    std::int64_t plane = 0;
};

// Checks a view called `name` against what a plan needs: element type and shape (an error names both sides),
// data not null and aligned to its elements, strides that are not negative, rows that do not overlap, and an
// extent whose bytes fit 63 bits. `shape` is a plan's: every size at least 1 and its dense bytes within 63
// bits.
Result<Strides> check_view(std::string_view name, const ConstTensorView& view, ElementType element,
                           const Shape& shape);

// The same for a view that is written: no element of it may be two, so planes must not lie over each other.
Result<Strides> check_output_view(std::string_view name, const ConstTensorView& view, ElementType element,
                                  const Shape& shape);

// True when the memory from the first to the last element of two checked views has a byte in common.
bool views_overlap(const ConstTensorView& a, const Strides& a_strides, const ConstTensorView& b,
                   const Strides& b_strides);

}  // namespace iir2d::support
