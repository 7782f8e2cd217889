// SPDX-License-Identifier: MIT
// The backward pass of maxima in vectors: an element takes the gradients of those of its windows whose argmax
// it is. Thread-safe; the same bits on every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/pool/windows.h"

namespace iir2d::pool {

// Returns how many elements take gradients at once.
std::int64_t gradient_lanes();

// Stands for a window that has no argmax in reach.
inline constexpr std::int32_t no_place = INT32_MIN;

// Writes to[o] = argmax[o] - from, or no_place where that is negative or does not fit.
void place_argmax(const std::int64_t* argmax, std::int64_t count, std::int64_t from, std::int32_t* to);

// A row of windows, each with the place of its maximum and its gradient. Both are readable, and there is
// no_place, for as many windows before the first as a window has columns, and behind the last for those that
// would begin before the end of the input and 2 * row_slack behind it.
struct PlacedWindows {
    const std::int32_t* places;
    const float* dy;
    std::int32_t first;  // the place of the first element of the row that takes from them
};

// The part of the next row of windows to prefetch while a row of elements is made, one of `rows` that take
// from it. Null: none.
struct Ahead {
    const std::int64_t* argmax = nullptr;
    const std::byte* dy = nullptr;
    std::int64_t dy_bytes = 0;  // of one gradient
    std::int64_t rows = 1;
};

// Makes these of the `x.in` elements of a row: sets to[i] to the sum of the gradients of the windows whose
// place is first + i, `rows` in their order and windows of a row in rising order. `x` are the windows along
// the row: of 2 or 3 columns, stride 2, no dilation. Writes up to 2 * row_slack elements behind the last, and
// perhaps the one before the first, whose sum it is too.
void take_gradients(const AxisWindows& x, const IndexRange& elements, std::span<const PlacedWindows> rows,
                    const Ahead& ahead, float* to);

}  // namespace iir2d::pool
