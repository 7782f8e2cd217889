// SPDX-License-Identifier: MIT
// The inner loops of the CPU backend: sections swept over neighbouring lines, in vectors; compiled for
// several instruction sets, of which the best that runs is chosen once (kernels/support/cpu_target.h). Which
// lines share a vector, a band or a tile changes no bit. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/iir/coefficients.h"

namespace iir2d::iir {

// Columns of a tile.
inline constexpr std::int64_t tile_columns = 32;
// Rows of a band, at least and at most.
inline constexpr std::int64_t least_band_rows = 8;
inline constexpr std::int64_t most_band_rows = 16;

// Returns the bytes of the widest vectors on this machine.
std::int64_t vector_bytes();

// Returns the rows of a band where the arithmetic is of that type: as many as a vector of it has lanes. A
// band may have least_band_rows instead.
template <class Arithmetic>
std::int64_t rows_of_band() {
    return std::max(least_band_rows, vector_bytes() / static_cast<std::int64_t>(sizeof(Arithmetic)));
}

// Holds sections one after the other; `Arithmetic` is float or double.
template <class Arithmetic>
using Cascade = std::vector<SectionStep<Arithmetic>>;

// States of a cascade over neighbouring lines: per section s1 then s2, each `stride` after the one before.
template <class Arithmetic>
struct LaneStates {
    Arithmetic* first;
    std::int64_t stride;
};

// The step that follows for rows that went through their own passes.
enum class Downward {
    none,     // they are stored
    filter,   // swept down the columns, then stored
    advance,  // stored; the columns' states go on as if they had been swept
};

// One pass of a band of rows over some of its columns, tile by tile: from rows (`in`) or from a line
// (`from`), to a line (`to`), to rows (`out`), or both. A line holds `height` samples for each column.
template <class Sample, class Arithmetic>
struct RowsSweep {
    std::int64_t height = 0;   // rows of a whole band: rows_of_band() or least_band_rows
    std::int64_t rows = 0;     // at most `height`
    std::int64_t columns = 0;  // a multiple of tile_columns, except where a row begins or ends with them
    bool reversed = false;     // from the last column to the first
    bool begins = true;        // with the row's first samples, or its last ones where it is reversed

    const Sample* in = nullptr;  // rows; else `from`
    std::int64_t in_stride = 0;  // samples from one row to the next
    const Sample* from = nullptr;
    Sample* to = nullptr;                          // may be `from`; null where nothing else will read it
    Sample* kept = nullptr;                        // a line that takes the samples of `in` as they are
    const Sample* add = nullptr;                   // a line that is added to what the last section gives
    const Cascade<Arithmetic>* cascade = nullptr;  // null: samples only move
    // Before the first sample, then after the last one. Of a section of one term: its last result, but a1
    // times that where `begins`, before the first sample.
    LaneStates<Arithmetic> states;

    Sample* out = nullptr;
    std::int64_t out_stride = 0;
    Downward downward = Downward::none;
    const Cascade<Arithmetic>* down = nullptr;
    LaneStates<Arithmetic> down_states;  // at the first column: above the band, then below it
    bool non_temporal = false;           // streaming stores; for images larger than the caches
};

// One pass down or up neighbouring columns. Upward, pointers are at the last row and strides negative.
template <class Sample, class Arithmetic>
struct ColumnsSweep {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const Sample* from = nullptr;
    std::int64_t from_stride = 0;
    Sample* to = nullptr;  // may be `from`
    std::int64_t to_stride = 0;
    const Sample* add = nullptr;  // added to what the last section gives
    std::int64_t add_stride = 0;
    const Cascade<Arithmetic>* cascade = nullptr;
    LaneStates<Arithmetic> states;  // before the first row, then after the last one
};

// Rows of a block of a sum's columns, at most: what is kept of a few columns then stays in the nearest cache.
inline constexpr std::int64_t most_sum_rows = 2 * most_band_rows;

// Both passes of a sum, each of one section with three terms, over a block of neighbouring columns in place:
// the causal one down and the anticausal one up, a few columns at a time.
template <class Sample, class Arithmetic>
struct SumSweep {
    std::int64_t rows = 0;  // at most most_sum_rows
    std::int64_t columns = 0;
    Sample* data = nullptr;
    std::int64_t stride = 0;
    const SectionStep<Arithmetic>* causal = nullptr;
    const SectionStep<Arithmetic>* anticausal = nullptr;
    LaneStates<const Arithmetic> above;  // the causal one's, above the block
    LaneStates<Arithmetic> states;       // the anticausal one's, below the block, then above it
};

// Waits for the non-temporal stores of a thread's sweep_rows(): before another reads what it wrote.
void finish_stores();
void sweep_rows(const RowsSweep<float, float>&);
void sweep_rows(const RowsSweep<float, double>&);
void sweep_rows(const RowsSweep<double, double>&);
void sweep_columns(const ColumnsSweep<float, float>&);
void sweep_columns(const ColumnsSweep<float, double>&);
void sweep_columns(const ColumnsSweep<double, double>&);
void sweep_sum(const SumSweep<float, float>&);
void sweep_sum(const SumSweep<float, double>&);
void sweep_sum(const SumSweep<double, double>&);

}  // namespace iir2d::iir
