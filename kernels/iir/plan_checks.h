// SPDX-License-Identifier: MIT
// Checks a descriptor, and states the accuracy of its results, for every backend's plan.
#pragma once

#include "iir2d/error.h"
#include "iir2d/filter.h"
#include "iir2d/plan.h"

namespace iir2d::iir {

// The filter as data, or what is wrong with the descriptor, in the C interface's order: dimensions, filter,
// border mode, precision; then what only plans have.
Result<FilterData> check_desc(const FilterDesc& desc);

struct Views {
    ConstTensorView x;
    TensorView y;
};

// Both views with their strides resolved, on every device and for every interface, or what is wrong with
// them: y is x itself or lies apart from it.
Result<Views> check_views(const FilterDesc& desc, const ConstTensorView& x, const TensorView& y);

PrecisionGuarantee guarantee_of(const FilterDesc& desc, const FilterData& data);

}  // namespace iir2d::iir
