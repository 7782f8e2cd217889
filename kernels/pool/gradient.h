// SPDX-License-Identifier: MIT
// The vector-Jacobian product of pooling by element, compiled for the CPU and the GPU: the share that depends
// on a window alone, and the gradient of an element from the sum of its windows' shares.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/support/warp.h"

namespace iir2d::pool {

enum class GradientOp { max, avg, lp1, lp2, lp_power };

// Returns dy over the window's divisor.
template <class Acc>
IIR2D_BOTH Acc avg_share(Acc dy, Acc divisor) {
    return dy / divisor;
}

// Return a window's share and dx for lp with p = 1: dy, unless the window was all zero or held a NaN.
IIR2D_BOTH double lp1_share(double dy, double y) {
    return y == 0.0 ? 0.0 : y != y ? y : dy;
}
IIR2D_BOTH double lp1_gradient(double x, double sum) {
    return x > 0.0 ? sum : x < 0.0 ? -sum : x == 0.0 ? 0.0 : x;
}

// Return a window's share and dx for lp with p = 2: dx = x * sum of dy / y.
IIR2D_BOTH double lp2_share(double dy, double y) {
    return y == 0.0 ? 0.0 : dy / y;
}
IIR2D_BOTH double lp2_gradient(double x, double sum) {
    return x == 0.0 ? 0.0 : x * sum;
}

// Returns the gradient for lp with any p, and with p = 2 where dy / y may leave the accumulator: of one pair
// of element and window. The power is of abs(x) / y, at most 1, not of each.
IIR2D_BOTH double lp_pair(double x, double y, double dy, double p) {
    if (x == 0.0 || y == 0.0) return 0.0;
    const double magnitude = x < 0.0 ? -x : x;
    const double ratio = magnitude / y;
    constexpr double smallest = 2.2250738585072014e-308;  // below it the quotient is not whole any more
    const double weight = p == 2.0           ? ratio
                          : ratio < smallest ? pow(magnitude, p - 1.0) * pow(y, 1.0 - p)
                                             : pow(ratio, p - 1.0);
    return (x < 0.0 ? -weight : weight) * dy;
}

}  // namespace iir2d::pool
