// SPDX-License-Identifier: MIT
// Passes over a strip of neighbouring columns, in place. A sum of a causal and an anticausal pass keeps
// neither: the causal states are noted every few rows on the way down, and on the way up each block of rows
// is swept from its note again, in cache, while the anticausal pass goes through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/iir/cpu_plane.h"
#include "kernels/iir/sweeps.h"
#include "kernels/support/aligned_array.h"

namespace iir2d::iir {

// Rows between two notes of the states of bands' columns: few enough that a block of a strip stays in cache.
inline constexpr std::int64_t block_rows = most_sum_rows;
// Columns of a strip, at most, and up to 15 more where they would be left alone: rows are read and written
// in long pieces.
inline constexpr std::int64_t strip_columns = 4096;

// Columns of a strip, at least, for both of a sum's passes to go through a block in one visit: blocks of
// fewer would be too small to be worth the call. A strip of fewer is swept otherwise, and where two NaNs
// meet another one may remain, so planes are not cut into such.
inline constexpr std::int64_t narrowest_at_once = 16;

// States above every `rows`-th row of `columns` columns.
template <class A>
class Notes {
  public:
    Notes() = default;
    Notes(std::int64_t states, std::int64_t columns, std::int64_t rows, std::int64_t height)
        : m_states(states),
          m_columns(columns),
          m_rows(rows),
          m_values(static_cast<std::size_t>((height + rows - 1) / rows * states * columns)) {}

    std::int64_t rows() const { return m_rows; }
    // Returns the states of the block that begins with `row`, at a column.
    LaneStates<A> at(std::int64_t row, std::int64_t column) const {
        return {m_values.data() + row / m_rows * m_states * m_columns + column, m_columns};
    }

  private:
    std::int64_t m_states = 0;
    std::int64_t m_columns = 0;
    std::int64_t m_rows = 1;
    support::AlignedArray<A> m_values;
};

template <class S>
struct Strip {
    S* data;
    std::int64_t stride;
    std::int64_t rows;
    std::int64_t columns;
};

// The part of the first step that bands of rows have done already.
template <class A>
struct DoneDown {
    Downward what = Downward::none;
    LaneStates<A> states;  // below the last row
    const Notes<A>* notes = nullptr;
    std::int64_t column = 0;  // of the strip's first, in notes
};

// Returns how many samples the passes will report to the watch for each sample of the plane.
std::int64_t column_work(const std::vector<CpuPass>& passes, Downward done);

// Filters one strip. Returns false when it was stopped.
template <class S, class A>
bool filter_strip(const std::vector<SweptPass<A>>& passes, const Strip<S>& strip, const DoneDown<A>& done,
                  Watch& watch);

}  // namespace iir2d::iir
