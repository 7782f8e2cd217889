// SPDX-License-Identifier: MIT
// The judge: the contract in scalar double precision, one sample at a time, written for reading. Slow. Every
// backend is measured against it. Sources: docs/filters.md and docs/pooling.md. Thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "iir2d/error.h"
#include "iir2d/export.h"
#include "iir2d/plan.h"

namespace iir2d::reference {

// Filters each dense [h, w] plane of x (desc.shape elements, double) into y. desc.precision is ignored.
// control.stop is looked at between lines (ErrorCode::cancelled); there is no progress.
IIR2D_API Result<void> filter(const FilterDesc& desc, std::span<const double> x, std::span<double> y,
                              const RunControl& control = {});

// Computes the adjoint of each plane: dx = A^T dy, where filter() gives A x + c. desc.border_const is not
// read. dx may be dy. Otherwise as filter().
IIR2D_API Result<void> filter_adjoint(const FilterDesc& desc, std::span<const double> dy,
                                      std::span<double> dx, const RunControl& control = {});

// Computes the gradient of the sum of dy times filter(x), over all planes, with respect to each parameter of
// the filter's row: dp has one element for each of filter_row(desc.filter.id)->parameters, in their order,
// and 0 for a switch. The derivative of the filter as it is computed in exact arithmetic,
// desc.filter.normalise_gain and the steady start included.
IIR2D_API Result<void> filter_gradient(const FilterDesc& desc, std::span<const double> x,
                                       std::span<const double> dy, std::span<double> dp,
                                       const RunControl& control = {});

// Pools each dense plane of x into y; argmax (max only) may be empty. Stored inputs are given as doubles.
IIR2D_API Result<void> pool(const PoolDesc& desc, std::span<const double> x, std::span<double> y,
                            std::span<std::int64_t> argmax = {}, const RunControl& control = {});

// Computes the gradient dx of a loss with respect to x, from the gradient dy with respect to the pooled y,
// window by window; y is what a forward pass gave (only lp reads it). All dense, stored values as doubles.
IIR2D_API Result<void> pool_backward(const PoolDesc& desc, std::span<const double> x,
                                     std::span<const double> y, std::span<const double> dy,
                                     std::span<double> dx, const RunControl& control = {});

// Returns the output shape of a valid descriptor, or the error its plan would give.
IIR2D_API Result<Shape> pool_output_shape(const PoolDesc& desc);

}  // namespace iir2d::reference
