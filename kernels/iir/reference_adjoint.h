// SPDX-License-Identifier: MIT
// The judge's adjoint and gradients for any filter data, also such as no row of the table makes.
#pragma once

#include <span>

#include "iir2d/error.h"
#include "iir2d/filter.h"
#include "iir2d/plan.h"

namespace iir2d::reference {

// Computes dx = A^T dy; desc.filter and desc.border_const are not read.
Result<void> adjoint_of_data(const FilterDesc& desc, const FilterData& data, std::span<const double> dy,
                             std::span<double> dx, const RunControl& control = {});

// Returns the derivative of <dy, filter(x)> with respect to a parameter on which the coefficients depend as
// `derivatives` says, each in its coefficient's place. desc.filter is not read.
Result<double> derivative_of_data(const FilterDesc& desc, const FilterData& data,
                                  const FilterData& derivatives, std::span<const double> x,
                                  std::span<const double> dy, const RunControl& control = {});

}  // namespace iir2d::reference
