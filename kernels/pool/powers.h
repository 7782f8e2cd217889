// SPDX-License-Identifier: MIT
// Powers of magnitudes, of lp pooling with any p, in vectors of f64: within 1e-11 of the power, times
// abs(exponent) where that is above 1, if it is a normal number of f64; where it would be smaller it is 0.
// The same bits on every machine, and as fold.h says. Thread-safe.
#pragma once

#include <cstdint>

namespace iir2d::pool {

// Writes to[i] = abs(from[i])^exponent; 0 and infinity have the powers that they have by IEEE.
void raise(double exponent, const float* from, std::int64_t count, double* to);

// Writes to[i] = sums[i]^exponent, rounded once, of sums that are 0 or normal; where a sum is not from
// `lowest` to the largest finite number NaN is written in its place. Returns whether there is no such sum.
bool take_roots(double exponent, double lowest, const double* sums, std::int64_t count, float* to);
bool take_roots(double exponent, double lowest, const double* sums, std::int64_t count, double* to);

// Gradients of the norm of f32 by rows. With p up to here, other than 1, they are the product of a term of
// the element and a sum of its windows' shares, neither of which leaves the range of f64.
inline constexpr double largest_power_of_products = 6.0;

// Writes each window's share: dy over y^(p-1), and 0 where y is 0; with p = 1 dy, where y is a number.
void make_norm_shares(double p, const float* dy, const float* y, std::int64_t count, double* to);

// Writes the gradient of each element from the sum of its windows' shares: abs(x)^(p-1) of it with the sign
// of x, and 0 where x is 0.
void make_norm_gradients(double p, const float* x, const double* sums, std::int64_t count, float* to);
void make_norm_gradients(double p, const float* x, const double* sums, std::int64_t count, double* to);

}  // namespace iir2d::pool
