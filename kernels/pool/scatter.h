// SPDX-License-Identifier: MIT
// The backward pass of averages and norms in vectors: scatters the shares of windows along a row and adds
// rows up. Bits as in fold.h. Thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/pool/fold.h"

namespace iir2d::pool {

// Writes to[o] = dy[o] over the window's divisor, and +0 for either zero.
void make_shares(const float* dy, std::int64_t count, const Divisors& divisors, float* to);

inline constexpr std::int64_t longest_scatter_stride = 2;

// Writes to[i] = the sum of the shares of the windows that contain position i, counted from the first
// window's start; windows of neighbouring taps, `stride` apart, in rising order. Zeros lie before the first
// share, `window` of them, and behind the last, as many as windows would begin before position count + 2 *
// row_slack. Writes up to 2 * row_slack elements behind the last.
void scatter_shares(std::int64_t window, std::int64_t stride, const float* shares, std::int64_t count,
                    float* to);
void scatter_shares(std::int64_t window, std::int64_t stride, const double* shares, std::int64_t count,
                    double* to);

// Returns whether scatter_and_add() takes such windows, so many of which along y share a row.
constexpr bool scatters_at_once(std::int64_t window, std::int64_t stride, std::int64_t rows) {
    return stride == 2 && (window == 2 || window == 3) && rows <= 2;
}

// Writes to[i] = the sum of what scatter_shares() gives position padding + i of each row, of which there are
// one or two, without writing these rows. Zeros lie around the shares as there. non_temporal: `to` lies at a
// multiple of 32 bytes and `count` is a multiple of 8.
void scatter_and_add(std::int64_t window, std::span<const float* const> shares, std::int64_t padding,
                     std::int64_t count, bool non_temporal, float* to);

// Writes to[i] = the sum of rows[0][i], rows[1][i], ...; zeros where there are none. Reads up to row_slack
// elements behind the last. non_temporal: as in OutputRow.
void add_rows(std::span<const float* const> rows, std::int64_t count, bool non_temporal, float* to);
void add_rows(std::span<const double* const> rows, std::int64_t count, double* to);

}  // namespace iir2d::pool
