// SPDX-License-Identifier: MIT
// The pooling kernels' inner loops: rows of elements, folded element by element into one. Compiled for
// several instruction sets, of which the best that runs is chosen once (kernels/support/cpu_target.h). Every
// output is made of its own elements in one order, so its bits depend neither on the instruction set nor on
// where a row was cut. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace iir2d::pool {

// What is made of a window: the first maximum (NaN above all), or something of the sum of something of each
// element. `power` has its powers and roots outside of these loops.
enum class Formula { max, max_magnitude, avg, lp1, lp2, lp3, power };

constexpr bool is_max(Formula formula) {
    return formula == Formula::max || formula == Formula::max_magnitude;
}

// A row of accumulators is read and written in whole vectors: room for this many behind its last is needed,
// and they hold numbers.
inline constexpr std::int64_t row_slack = 16;

// The divisors of a row of averages: rows * columns[o], or `rows` alone where `columns` is null.
struct Divisors {
    double rows = 1.0;
    const std::int32_t* columns = nullptr;
};

// A row of outputs. Where a sum is not accurate in the type it was made in (overflow, underflow, infinity,
// NaN), NaN is written in its place; with `only_nan` no other outputs than NaN are written.
template <class T>
struct OutputRow {
    T* to;
    std::int64_t count;
    Formula formula;
    Divisors divisors;
    bool past_caches;  // stores that do not read what they replace; finish_stores() before others read
    bool only_nan = false;
};

// to[o] = formula over rows r from first to last and taps k < `taps` of rows[r][o * stride + k], each row
// summed from left to right and then the rows. `taps` 1 to 3, `stride` 1 or 2, not `power`; sums are made in
// Acc. Reads no element but those. False when there is a sum that Acc is not accurate for.
template <class Acc>
bool pool_windows(std::span<const float* const> rows, int taps, int stride, const OutputRow<float>& out);

// The same for rows that are sums or maxima of taps already.
bool finish_rows(std::span<const float* const> rows, const OutputRow<float>& out);
bool finish_rows(std::span<const double* const> rows, const OutputRow<float>& out);

// to[o] = the sum, or the first maximum, of rows[0][o], rows[1][o], ... `to` may be one of the rows, or lie
// before one in the same memory.
void fold_rows(bool maximum, std::span<const float* const> rows, std::int64_t count, float* to);
void fold_rows(bool maximum, std::span<const double* const> rows, std::int64_t count, double* to);

// What the formula adds up or compares, of `count` elements; not `power`.
void make_terms(Formula formula, const float* from, std::int64_t count, float* to);
void make_terms(Formula formula, const float* from, std::int64_t count, double* to);

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

// As pool_windows() of maxima, with the index of each: that of the first element of output 0's window, plus
// o * stride, plus where in its window the maximum is. Row r of a window lies r * `row_distance` indices
// below its first; all of them fit 31 bits.
void pool_windows_placed(std::span<const float* const> rows, int taps, int stride,
                         const OutputRow<float>& out, std::int64_t first_index, std::int64_t row_distance,
                         std::int64_t* indices);

// After stores past the caches.
void finish_stores();

}  // namespace iir2d::pool
