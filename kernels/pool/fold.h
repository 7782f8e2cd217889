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

// The formula of a window: the first maximum (NaN above all), or a function of the sum of its elements'
// terms. `power` has its powers and roots outside of these loops.
enum class Formula { max, max_magnitude, avg, lp1, lp2, lp3, power };

constexpr bool is_max(Formula formula) {
    return formula == Formula::max || formula == Formula::max_magnitude;
}

// A row of accumulators is read and written in whole vectors: room for this many behind its last is needed,
// and they hold numbers.
inline constexpr std::int64_t row_slack = 16;

// Returns how far apart rows of `width` elements and row_slack lie that are read together: an odd number of
// cache lines, since rows that lie apart by a multiple of a page share the same few sets of a first-level
// cache.
template <class Acc>
constexpr std::int64_t row_distance(std::int64_t width) {
    constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Acc));
    return ((width + row_slack + line - 1) / line | 1) * line;
}

// Returns the first address from `at` on that begins a cache line, at most row_slack elements behind it:
// every vector of 512 bits that begins elsewhere crosses a line.
template <class Acc>
Acc* at_cache_line(Acc* at) {
    const std::size_t behind = reinterpret_cast<std::uintptr_t>(at) % 64;
    return behind == 0 ? at : at + (64 - behind) / sizeof(Acc);
}

// Elements of a row from which on it is long: a row that begins or ends within a vector mixes non-temporal
// with ordinary stores, which is slow and pays, if at all, only there.
inline constexpr std::int64_t shortest_non_temporal = 512;

// The divisors of a row of averages: rows * columns[o], or `rows` alone where `columns` is null.
struct Divisors {
    double rows = 1.0;
    const std::int32_t* columns = nullptr;
};

// A row of outputs. Where a sum is not accurate in the type it was made in (overflow, underflow, infinity,
// NaN), NaN is written in its place; with `only_nan` no other outputs than NaN are written.
template <class T>
struct OutputRowOf {
    T* to;
    std::int64_t count;
    Formula formula;
    Divisors divisors;
    bool non_temporal;  // streaming stores, which need finish_stores() before others read
    bool only_nan = false;
};
using OutputRow = OutputRowOf<float>;

// Writes to[o] = the formula of the sum, or maximum, of rows[0][o], rows[1][o], ... Returns false when there
// is a sum that its type is not accurate for.
bool finish_rows(std::span<const float* const> rows, const OutputRow& out);
bool finish_rows(std::span<const double* const> rows, const OutputRow& out);
bool finish_rows(std::span<const double* const> rows, const OutputRowOf<double>& out);

// Writes to[o] = the sum, or the first maximum, of rows[0][o], rows[1][o], ... `to` may lie
// in the same memory before or at the first element of each of up to 7 rows.
void fold_rows(bool maximum, std::span<const float* const> rows, std::int64_t count, float* to);
void fold_rows(bool maximum, std::span<const double* const> rows, std::int64_t count, double* to);

// Writes the terms that the formula adds up or compares, of `count` elements; not `power`. `to` may be
// `from`.
void make_terms(Formula formula, const float* from, std::int64_t count, float* to);
void make_terms(Formula formula, const float* from, std::int64_t count, double* to);
void make_terms(Formula formula, const double* from, std::int64_t count, double* to);

// Writes to[o] = from[o * stride]. Reads up to row_slack elements behind the last.
void pick_every(std::int64_t stride, const float* from, std::int64_t count, float* to);
void pick_every(std::int64_t stride, const double* from, std::int64_t count, double* to);

// Returns whether deal_out() takes so many rows.
constexpr bool is_dealt_out(std::int64_t stride) {
    return stride == 4 || stride == 8;
}
// Writes to[i][o] = from[o * stride + i], where `stride` is the number of rows. Prefetches a page ahead
// where `from` is a row of the image, not a buffer.
void deal_out(const float* from, std::int64_t count, std::span<float* const> to, bool from_image);
void deal_out(const double* from, std::int64_t count, std::span<double* const> to, bool from_image);

// Waits for the non-temporal stores of this thread: before another reads what they wrote.
void finish_stores();

}  // namespace iir2d::pool
