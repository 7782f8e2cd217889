// SPDX-License-Identifier: MIT
// Pools on the CPU one window at a time: every op, element type and shape of windows, by the rule that GPUs
// gather by, so with their bits. What cpu.h is faster at does not come here.
#pragma once

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/window_formula.h"

namespace iir2d::pool {

// Columns of a window up to which its rows are summed one after the other; more are summed several at a time.
inline constexpr std::int64_t widest_row_by_row = 24;

WindowRule window_rule(const PoolDesc& desc, const PoolGeometry& geometry);

// Returns whether elements are raised to p and sums to 1 / p, by powers.
constexpr bool needs_powers(const PoolDesc& desc) {
    return desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0;
}

// Returns the type that sums of gathered windows are made in.
ElementType gathered_accumulator(const PoolDesc& desc, const PoolGeometry& geometry);

// Does what forward_cpu() does.
Result<void> forward_gathered(const PoolDesc& desc, const PoolGeometry& geometry, const ConstTensorView& x,
                              const TensorView& y, std::int64_t* argmax, int threads,
                              const RunControl& control);

}  // namespace iir2d::pool
