// SPDX-License-Identifier: MIT
// The adjoint of a filter and the gradient of its parameters on the CPU. Source of the mathematics:
// docs/filters.md, "Adjoint and gradient of the parameters". A filter is affine in its input, A x + c, and c
// is not 0 only for a border constant that is not 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/filter.h"
#include "iir2d/plan.h"
#include "iir2d/tensor.h"
#include "kernels/iir/cpu.h"

namespace iir2d::iir {

// Returns the work of the transposed filter, which forward_cpu() does: dx = A^T dy from dy, which may be the
// same memory with the same strides, with the same bits for every number of threads. desc.border_const is not
// read. `data` is make_filter()'s of desc.filter, or any other.
CpuJob make_adjoint_job(const FilterDesc& desc, const FilterData& data, int threads);

// Computes the gradient of <dy, A x + c> with respect to each parameter of the filter's row, in the row's
// order, 0 for a switch: dp has as many elements as filter_row(desc.filter.id).parameters. The sum over the
// planes of the views, one plane's after the other's, so that plane by plane gives the same bits. Sums are in
// double and in one order: the same bits for every number of threads. `data` is make_filter()'s of
// desc.filter. Views are checked, strides resolved, types those of the precision; x and dy are only read. At
// most two more planes of memory, and a few rows for each thread. std::bad_alloc leaves through it.
Result<void> gradient_cpu(const FilterDesc& desc, const FilterData& data, const ConstTensorView& x,
                          const ConstTensorView& dy, std::span<double> dp, int threads,
                          const RunControl& control);

// Returns `count` zeros for each plane; throws std::bad_alloc where no memory holds them.
std::vector<double> zeros_for_planes(std::int64_t planes, std::size_t count);

}  // namespace iir2d::iir
