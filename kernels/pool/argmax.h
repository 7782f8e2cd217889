// SPDX-License-Identifier: MIT
// Pools maxima with argmax: value-and-index pairs, folded by branch-free selects. Thread-safe; bits as in
// fold.h.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/pool/small_windows.h"

namespace iir2d::pool {

// A row of value-and-index pairs: columns and rows count taps from the window's first, and the additions turn
// an index within a part of a window into one within the window.
template <class T, class Index>
struct IndexedRowOf {
    const T* values;
    const Index* columns;
    const Index* rows;
    Index add_to_columns;
    Index add_to_rows;
};
template <class T, class Index>
struct IndexedOutputOf {
    T* values;
    Index* columns;
    Index* rows;
};

// Folds pairs as fold_rows() folds maxima: to[o] is the pair with the first maximum. Indices are as wide as
// values.
void fold_argmax(std::span<const IndexedRowOf<float, std::int32_t>> rows, std::int64_t count,
                 const IndexedOutputOf<float, std::int32_t>& to);
void fold_argmax(std::span<const IndexedRowOf<double, std::int64_t>> rows, std::int64_t count,
                 const IndexedOutputOf<double, std::int64_t>& to);

// Says where the indices go and how they are counted: windows.first has `first_index`, a window's row lies
// `row_indices` behind the one above it (three times that fits 31 bits), and the window of the output row
// below `below_indices`.
struct WindowIndices {
    std::int64_t* to;
    std::int64_t row_stride;
    std::int64_t first_index;
    std::int64_t row_indices;
    std::int64_t below_indices;
};

// Pools as pool_windows() of maxima, and writes the index of each.
void pool_windows_argmax(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices);

}  // namespace iir2d::pool
