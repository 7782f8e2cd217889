// SPDX-License-Identifier: MIT
// Maxima with their places in the window or the plane. Thread-safe; bits as in fold.h.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/pool/small_windows.h"

namespace iir2d::pool {

// Maxima with their places: columns and rows count taps from the window's first, and the additions move a
// part of a window to its place in the window.
struct PlacedRow {
    const float* values;
    const std::int32_t* columns;
    const std::int32_t* rows;
    std::int32_t add_to_columns;
    std::int32_t add_to_rows;
};
struct PlacedOutput {
    float* values;
    std::int32_t* columns;
    std::int32_t* rows;
};

// As fold_rows() of maxima.
void fold_placed(std::span<const PlacedRow> rows, std::int64_t count, const PlacedOutput& to);

// As pool_windows() of maxima, with the index of each: `first_index` is that of windows.first, a window's row
// lies `row_indices` behind the one above it (three times that fits 31 bits), and the window of the output
// row below `below_indices`.
struct WindowIndices {
    std::int64_t* to;
    std::int64_t row_stride;
    std::int64_t first_index;
    std::int64_t row_indices;
    std::int64_t below_indices;
};
void pool_windows_placed(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices);

}  // namespace iir2d::pool
