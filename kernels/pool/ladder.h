// SPDX-License-Identifier: MIT
// Windows of many rows, from parts of 2, 4, 8, ... rows that are folded once for all windows: two of a part
// side by side make one of the next. Rows come and go in batches, whose folds stay in registers but for the
// parts that later batches need; those lie in rings as compact as the columns in work, not as far apart as
// rows of the image. Every output's order of operations depends on the window's length alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/pool/fold.h"

namespace iir2d::pool {

// Rows of a batch, and the taps of the smallest part that is kept.
inline constexpr std::int64_t batch_rows = 8;

// How two parts are folded into one. `larger` is wrong where one is NaN, and faster.
enum class Join { sum, larger, larger_or_nan };

// One batch of rows. In rings, the rows of a batch lie side by side, column by column, so that `from` and
// `to` are where a batch begins.
template <class Acc>
struct Climb {
    // From parts to ones of twice as many taps.
    struct Rung {
        const Acc* from;  // the part before, of an earlier batch
        Acc* to;          // where this one is kept; may be `from`
    };
    // A part of every window, that ends before the batch's rows do: row j of the batch has it at row
    // first + j of two batches.
    struct Delayed {
        const Acc* batches[2];
        std::int64_t first;
    };
    const Acc* rows;                   // this batch's first
    Acc* rows_before;                  // the batch's before it, which the results replace
    std::int64_t distance;             // from a row to the next
    std::span<const Rung> rungs;       // from batch_rows taps on
    Acc* top;                          // keeps the largest part, if that is not null
    std::span<const Delayed> delayed;  // first to last
    std::int64_t singles;              // a window's last rows, which are in no part
    std::int64_t count;                // columns
};

// Makes the windows that end in each row of the batch. False if `join` is `larger` and that may be wrong.
bool climb(Join join, const Climb<float>& batch);
bool climb(Join join, const Climb<double>& batch);

// The order along an axis of a window of at least batch_rows taps: its length's binary digits, from the
// highest. What is below batch_rows is single rows. Maxima need only two largest parts, which overlap.
struct Climbing {
    explicit Climbing(std::int64_t taps);

    std::int64_t window;
    std::int64_t top = batch_rows;  // taps of the largest part
    std::int64_t singles;

    // Whether parts of so many taps, less than the largest, are themselves a part of a sum's windows.
    bool has_part(std::int64_t taps) const { return (window & taps) != 0; }
    // Rounded additions between an element and a sum, at most.
    std::int64_t additions() const;
    // Rows that are kept in rings.
    std::int64_t rows() const;
    // Batches that are kept of a part.
    std::int64_t batches(std::int64_t taps) const;
};

// The same along a row: to[o] is made of from[o] to from[o + window - 1]. Reads up to row_slack elements
// behind the last, and writes as many behind to[count - 1]; `scratch` has room for what is read.
bool climb_row(Join join, const Climbing& order, const float* from, std::int64_t count, float* to,
               float* scratch);
bool climb_row(Join join, const Climbing& order, const double* from, std::int64_t count, double* to,
               double* scratch);

// The rings, and the rows that go through them: a wave of many rows at once, of few columns at a time, so
// that their rings stay in the first-level cache meanwhile.
template <class Acc>
class Ladder {
  public:
    Ladder(std::int64_t window, std::int64_t width);

    static constexpr std::int64_t wave_rows = 32;

    // Where row t goes, counted from the first window's first; a wave of them and then make().
    Acc* row(std::int64_t t) { return m_rows.data() + t % (wave_rows + batch_rows) * m_distance; }
    // Windows that end in the rows of the wave that begins with row t.
    bool make(Join join, std::int64_t t, std::int64_t count);
    // The one that ends in row t, in the place of a row that is no longer needed.
    Acc* made(std::int64_t t) { return row(t + wave_rows); }

  private:
    struct Ring {
        std::int64_t first;  // row
        std::int64_t batches;
    };
    bool make_batch(Join join, std::int64_t t, std::int64_t column, std::int64_t count);

    Climbing m_order;
    std::int64_t m_distance;      // from a row to the next
    std::int64_t m_strip;         // columns of a strip
    std::vector<Ring> m_of_part;  // by taps, from batch_rows on; the largest last
    std::vector<Acc> m_rows;
    std::vector<Acc> m_rings;  // strip by strip
    std::vector<typename Climb<Acc>::Rung> m_rungs;
    std::vector<typename Climb<Acc>::Delayed> m_delayed;
};

extern template class Ladder<float>;
extern template class Ladder<double>;

}  // namespace iir2d::pool
