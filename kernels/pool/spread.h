// SPDX-License-Identifier: MIT
// The backward pass of averages in vectors: what windows hand back, along a row and over rows. Bits as in
// fold.h. Thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/pool/fold.h"

namespace iir2d::pool {

// to[o] = dy[o] over the window's divisor, and +0 for either zero.
void make_shares(const float* dy, std::int64_t count, const Divisors& divisors, float* to);

inline constexpr std::int64_t longest_spread_stride = 2;

// to[i] = the sum of the shares of the windows that contain position i, counted from the first window's
// start; windows of neighbouring taps, `stride` apart, in rising order. Zeros lie before the first share,
// `window` of them, and behind the last, as many as windows would begin before position count + 2 *
// row_slack. Writes up to 2 * row_slack elements behind the last.
void spread_shares(std::int64_t window, std::int64_t stride, const float* shares, std::int64_t count,
                   float* to);

// to[i] = the sum of rows[0][i], rows[1][i], ...; zeros where there are none. Reads up to row_slack elements
// behind the last. past_caches: as in OutputRow.
void add_rows(std::span<const float* const> rows, std::int64_t count, bool past_caches, float* to);

}  // namespace iir2d::pool
