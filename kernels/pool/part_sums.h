// SPDX-License-Identifier: MIT
// Adds up neighbouring elements of a row, or neighbouring rows: what fold_rows() makes of the first two of
// part_steps(), in the same order, with fewer loads. Thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/pool/order.h"

namespace iir2d::pool {

// Writes to[o] = the sum of the `step.made()` elements from from[o] on, by the second of part_steps() for a
// window of at least 8: its parts, of 2 to 7 elements, are added up from first to last. Returns how many of
// `count` sums it wrote, from to[0] on: all, or fewer by up to two vectors, for which it would read too far,
// or none, where the instruction set has no shift across all of a vector. Reads up to row_slack elements
// behind those of the last sum, and writes as many behind to[count - 1]. `to` and `from` lie apart.
std::int64_t sum_in_parts(const PartStep& step, const float* from, std::int64_t count, float* to);
std::int64_t sum_in_parts(const PartStep& step, const double* from, std::int64_t count, double* to);

// Rows of sums that are made at once.
inline constexpr std::int64_t rows_at_once = 4;
// The longest part of such rows.
inline constexpr std::int64_t most_row_part = 7;

// Describes windows, by the second of part_steps(), that end in rows_at_once neighbouring rows.
template <class Acc>
struct RowSums {
    // step.part - 1 + rows_at_once rows, of which the last are the windows' last.
    std::array<const Acc*, most_row_part - 1 + rows_at_once> terms;
    // Part i of window j is parts[i][j]; not read where it is one of `made`.
    std::array<std::array<const Acc*, rows_at_once>, 4> parts;
    std::array<Acc*, rows_at_once> made;  // the parts that end in the windows' last rows
    std::array<Acc*, rows_at_once> to;    // sums
    std::int64_t count;                   // columns
};

// Returns whether sum_rows() has loops for a step: those of windows from 16 to 31, of which 16, 17, 18, 20
// and 24 are summed by doubling where windows lie side by side.
constexpr bool has_row_sums(const PartStep& step) {
    return step.part >= rows_at_once && step.part <= most_row_part;
}
// Makes the parts and the sums. Reads and writes up to row_slack elements behind `count`.
void sum_rows(const PartStep& step, const RowSums<float>& rows);
void sum_rows(const PartStep& step, const RowSums<double>& rows);

}  // namespace iir2d::pool
