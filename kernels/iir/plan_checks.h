// SPDX-License-Identifier: MIT
// Checks a descriptor, and states the accuracy of its results, for every backend's plan.
#pragma once

#include <cstddef>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/filter.h"
#include "iir2d/plan.h"

namespace iir2d::iir {

// Filters as data: one for all planes, or one for each of them.
using Filters = std::vector<FilterData>;

// Returns the filters, or what is wrong with the descriptor, in the C interface's order: dimensions, filter,
// border mode, precision and element, start, parameters.
Result<Filters> check_desc(const FilterDesc& desc);

// Check its parts: the dimensions; border mode, precision, element and start; and that filters stay stable as
// the precision rounds them.
Result<void> check_shape(const FilterDesc& desc);
Result<void> check_choices(const FilterDesc& desc);
Result<void> check_stable(const FilterDesc& desc, const Filters& filters);

// Returns the filters alone, as data or as a row of the table.
Result<Filters> filters_of(const FilterDesc& desc);

// Two tensors with their strides resolved.
struct Views {
    ConstTensorView x;
    TensorView y;
};

// Holds the names of views as error messages write them. What is written may take the place of what is read.
struct ViewNames {
    const char* read = "x";
    const char* written = "y";
};

// Returns both views with their strides resolved, for every device and every interface, or an error that says
// what is wrong with them: y is x itself or lies apart from it.
Result<Views> check_views(const FilterDesc& desc, const ConstTensorView& x, const TensorView& y,
                          const ViewNames& names = {});

// Views of a backward pass with their strides resolved; what is not computed, or not read, stays empty.
struct GradientViews {
    ConstTensorView x;
    ConstTensorView dy;
    TensorView dx;
};

// Checks the views of a backward pass on every device and for every interface: dx, null where it is not
// wanted, is dy itself or lies apart from all that is read.
Result<GradientViews> check_gradient_views(const FilterDesc& desc, const ConstTensorView& x,
                                           const ConstTensorView& dy, const TensorView& dx, bool reads_x);

// Checks that the filter has as many parameters as there is room for gradients.
Result<void> check_gradients(const FilterDesc& desc, std::size_t count);

PrecisionGuarantee guarantee_of(const FilterDesc& desc, const Filters& filters);

}  // namespace iir2d::iir
