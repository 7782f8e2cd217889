// SPDX-License-Identifier: MIT
// What a line reads outside itself, as a rule that the CPU and the GPU compile.
#pragma once

#include <cstdint>

#include "kernels/support/warp.h"

namespace iir2d::iir {

// The sample of a line of n >= 1 that index i reads, any number of periods outside; -1 where the border
// constant is read. `border` is the number of an iir2d::Border. Half-sample symmetric under mirror (x[-1] =
// x[0]).
IIR2D_BOTH std::int64_t border_index(std::int64_t i, std::int64_t n, int border) {
    if (i >= 0 && i < n) return i;
    if (border == 3) return -1;
    if (border == 0) return i < 0 ? 0 : n - 1;
    const std::int64_t period = border == 1 ? 2 * n : n;
    const std::int64_t remainder = i % period;
    const std::int64_t m = remainder < 0 ? remainder + period : remainder;
    return m < n ? m : 2 * n - 1 - m;
}

}  // namespace iir2d::iir
