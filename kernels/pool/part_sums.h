// SPDX-License-Identifier: MIT
// Adds up neighbouring elements of a row, or neighbouring rows, in parts that stay in registers: what
// fold_rows() makes of the first two of part_steps(), in the same order. Thread-safe.
#pragma once

#include <cstdint>

#include "kernels/pool/order.h"

namespace iir2d::pool {

// Writes to[o] = the sum of the `step.made()` elements from from[o] on, by the second of part_steps() for a
// window of at least 8: its parts, of 2 to 7 elements, are added up from first to last. Returns how many of
// `count` sums are written, from to[0] on: those of whole vectors, and none where the instruction set has no
// shift across all of a vector. Reads up to row_slack elements behind those of the last sum, and writes as
// many behind to[count - 1].
std::int64_t sum_in_parts(const PartStep& step, const float* from, std::int64_t count, float* to);
std::int64_t sum_in_parts(const PartStep& step, const double* from, std::int64_t count, double* to);

// Describes windows of the second of part_steps() that end in four neighbouring rows.
inline constexpr std::int64_t rows_at_once = 4;
template <class Acc>
struct RowSums {
    const Acc* const* terms;  // step.part + 3 rows, of which the last four are the windows' last
    const Acc* const*
        parts;  // part i of window j is parts[4 * i + j]; not read where it ends in a window's last row
    Acc* const* made;    // four rows: the parts that end in the windows' last rows
    Acc* const* to;      // four rows of sums
    std::int64_t count;  // columns
};

// Returns whether sum_rows() has loops for a step. Shorter windows are summed by doubling.
constexpr bool has_row_sums(const PartStep& step) {
    return step.part >= rows_at_once && step.part <= 7;
}
// Makes the parts and the sums. Reads and writes up to row_slack elements behind `count`.
void sum_rows(const PartStep& step, const RowSums<float>& rows);
void sum_rows(const PartStep& step, const RowSums<double>& rows);

}  // namespace iir2d::pool
