// SPDX-License-Identifier: MIT
// Causal filters in one raster pass: rows and columns together, each sample read once and written once.
#pragma once

#include "iir2d/error.h"
#include "iir2d/tensor.h"
#include "kernels/iir/cpu.h"

namespace iir2d::iir {

// Whether the pass serves a job on images of this shape: a build with Highway, both axes one causal cascade
// each, no start that depends on a whole line, rows that fill tiles and whose states fit in caches, and bands
// enough that the rows filtered for the columns' starts do not count.
bool raster_applies(const CpuJob& job, const Shape& shape);

// As forward_cpu(), where raster_applies().
Result<void> forward_raster(const CpuJob& job, const ConstTensorView& x, const TensorView& y,
                            const RunControl& control);

}  // namespace iir2d::iir
