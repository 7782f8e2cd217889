// SPDX-License-Identifier: MIT
// What the tests of iir2d_pool.h share.
#pragma once

#include <cstdint>

#include "iir2d/iir2d_pool.h"

namespace pool_testing {

// Windows of 2 x 3, or outputs of 4 x 5.
inline IIR2D_PoolParams params(int op, std::int64_t n, std::int64_t c, std::int64_t height,
                               std::int64_t width) {
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.op = op;
    p.n = n;
    p.c = c;
    p.height = height;
    p.width = width;
    p.window_h = 2;
    p.window_w = 3;
    p.output_h = 4;
    p.output_w = 5;
    p.p = 2;
    return p;
}

}  // namespace pool_testing
