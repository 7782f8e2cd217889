// SPDX-License-Identifier: MIT
// Folds windows of many rows by prefix doubling, from parts of 2, 4, 8, ... rows that are folded once for all
// windows. Two parts of n rows side by side make one of 2 n. Rows come and go in batches, whose folds stay in
// registers but for the parts that later batches need; those lie in rings as compact as the columns in work,
// not as far apart as rows of the image. Every output's order of operations depends on the window's length
// alone.
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

// Says how two parts are folded into one. `larger` is faster, and wrong where one of the two is NaN.
enum class Join { sum, larger, larger_or_nan };

// Describes one batch of rows. In rings, the rows of a batch lie side by side, column by column: `from` and
// `to` are where a batch begins.
template <class Acc>
struct DoublingBatch {
    // Makes parts of twice as many taps.
    struct Step {
        const Acc* from;  // parts of an earlier batch
        Acc* to;          // where this batch's parts are kept; may be `from`
    };
    // A part of every window that ends before the batch's rows do: row j of the batch has it at row first + j
    // of two batches.
    struct Delayed {
        const Acc* batches[2];
        std::int64_t first;
    };
    const Acc* rows;                   // this batch's first
    Acc* rows_before;                  // first of the batch before, whose rows the results replace
    std::int64_t distance;             // from a row to the next
    std::span<const Step> steps;       // from batch_rows taps on
    Acc* top;                          // keeps the largest part, if that is not null
    std::span<const Delayed> delayed;  // first to last
    std::int64_t singles;              // a window's last rows, which are in no part
    std::int64_t count;                // columns
};

// Folds the windows that end in each row of the batch. Returns false if `join` is `larger` and a row has a
// NaN.
bool fold_batch_by_doubling(Join join, const DoublingBatch<float>& batch);
bool fold_batch_by_doubling(Join join, const DoublingBatch<double>& batch);

// The order along an axis of a window of at least batch_rows taps: by its length's binary digits, from the
// highest. A remainder below batch_rows is single rows. Maxima need only two of the largest parts, which
// overlap.
struct DoublingOrder {
    explicit DoublingOrder(std::int64_t taps);

    std::int64_t window;
    std::int64_t top = batch_rows;  // taps of the largest part
    std::int64_t singles;

    // Returns whether parts of so many taps, less than the largest, are themselves a part of a sum's windows.
    bool has_part(std::int64_t taps) const { return (window & taps) != 0; }
    // Returns the most rounded additions between an element and a sum.
    std::int64_t additions() const;
    // Returns the number of rows that are kept in rings.
    std::int64_t rows() const;
    // Returns the number of batches that are kept of parts of so many taps.
    std::int64_t batches(std::int64_t taps) const;
};

// Folds windows along a row: to[o] is the window from[o] to from[o + window - 1]. Reads up to row_slack
// elements behind the last, and writes as many behind to[count - 1]; `scratch` has room for all elements
// read. Returns false, and writes nothing, if `join` is `larger` and there is a NaN.
bool fold_row_by_doubling(Join join, const DoublingOrder& order, const float* from, std::int64_t count,
                          float* to, float* scratch);
bool fold_row_by_doubling(Join join, const DoublingOrder& order, const double* from, std::int64_t count,
                          double* to, double* scratch);

// The rings, and the rows that go through them: a wave of many rows at once, of few columns at a time, so
// that their rings stay in the first-level cache meanwhile.
template <class Acc>
class DoublingRings {
  public:
    DoublingRings(std::int64_t window, std::int64_t width);

    static constexpr std::int64_t wave_rows = 32;

    // Returns where row t goes, counted from the first window's first row: fill a wave of them, then call
    // make().
    Acc* row(std::int64_t t) { return m_rows.data() + t % (wave_rows + batch_rows) * m_distance; }
    // Folds the windows that end in the rows of the wave that begins with row t. Returns as
    // fold_batch_by_doubling().
    bool make(Join join, std::int64_t t, std::int64_t count);
    // Returns the window that ends in row t, which lies where a row lay that is no longer needed.
    Acc* made(std::int64_t t) { return row(t + wave_rows); }

  private:
    struct Ring {
        std::int64_t first;  // row
        std::int64_t batches;
    };
    bool make_batch(Join join, std::int64_t t, std::int64_t column, std::int64_t count);

    DoublingOrder m_order;
    std::int64_t m_distance;      // from a row to the next
    std::int64_t m_strip;         // columns of a strip
    std::vector<Ring> m_of_part;  // by taps, from batch_rows on; the largest last
    std::vector<Acc> m_rows;
    std::vector<Acc> m_rings;  // strip by strip
    std::vector<typename DoublingBatch<Acc>::Step> m_doublings;
    std::vector<typename DoublingBatch<Acc>::Delayed> m_delayed;
};

extern template class DoublingRings<float>;
extern template class DoublingRings<double>;

}  // namespace iir2d::pool
