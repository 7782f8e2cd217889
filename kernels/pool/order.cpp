// SPDX-License-Identifier: MIT
#include "kernels/pool/order.h"

#include <algorithm>
#include <bit>

#include "kernels/pool/doubling.h"

namespace iir2d::pool {

namespace {

// A window of up to so many taps is folded in a sequence, which is as fast,
// except where pays_for_each_element().
constexpr std::int64_t longest_sequence = 8;

}  // namespace

std::vector<PartStep> part_steps(std::int64_t window) {
    constexpr std::int64_t base = 4;
    std::vector<PartStep> steps;
    while (window > 1) {
        if (window >= base) {
            steps.push_back({window / base, base, window % base});
        } else {
            steps.push_back({1, window, 0});
        }
        window = steps.back().part;
    }
    std::ranges::reverse(steps);
    return steps;
}

namespace {

std::int64_t folds_in_parts(std::int64_t window) {
    std::int64_t folds = 0;
    for (const PartStep& step : part_steps(window)) folds += step.parts - 1 + step.singles;
    return folds;
}

// Sums of so many rows, one after the other, would have to be added up in double (sum_type()).
constexpr std::int64_t longest_sum = 24;

// A row's parts of neighbouring elements are made in registers, many at once, and to take every eighth of
// them costs less than to deal the row out by its stride. Rows come one by one: parts of them pay where
// windows share most of theirs.
bool pays_in_parts(const AxisWindows& axis, Along along, Folded folded) {
    const bool neighbours = along == Along::x && axis.dilation == 1;
    const bool long_sum = folded == Folded::sums && axis.window > longest_sum;
    return axis.window > longest_sequence && (neighbours || long_sum || axis.window > 4 * axis.stride);
}

// At strides of 3, 5, 6 and 7, which no shuffles deal out, gathering each tap of the windows from their row
// costs more than folding for every element of the row; not in f64, of which a vector of SSE4 holds two.
bool pays_for_each_element(const AxisWindows& axis, Along along, Folded folded, ElementType accumulator) {
    const bool gathers = axis.stride == 3 || (axis.stride >= 5 && axis.stride <= 7);
    return along == Along::x && folded == Folded::maxima && accumulator == ElementType::f32 && gathers &&
           axis.dilation == 1 && axis.window >= 3 && axis.window <= longest_sequence;
}

// Pairs are folded in parts step by step, in memory.
bool pays_in_steps(const AxisWindows& axis, Folded folded) {
    if (folded == Folded::sums && axis.window > longest_sum) return true;
    const std::int64_t worth = folded == Folded::sums ? 2 : 1;
    return axis.window > longest_sequence && worth * axis.window > axis.stride * folds_in_parts(axis.window);
}

}  // namespace

bool has_much_padding(const AxisWindows& axis) {
    const std::int64_t padded = (axis.out - 1) * axis.stride + axis.span();
    // More than 4 * in + 1024, which may not fit 63 bits.
    return (padded - 1025) / 4 >= axis.in;
}

AxisWay way_along(const AxisWindows& axis, Along along, Folded folded, ElementType accumulator) {
    if (axis.stride > 2 * axis.span() || has_much_padding(axis)) {
        // Rows need no place in memory that is like their place in the image.
        return along == Along::x ? AxisWay::one_by_one : AxisWay::sequence;
    }
    if (pays_for_each_element(axis, along, folded, accumulator)) return AxisWay::in_parts;
    // By halves, a sum takes as many parts as its length has binary digits that are 1, but of rows those
    // below batch_rows cost little. Neighbours in vectors are neighbours in the row.
    const bool few_digits = std::popcount(static_cast<std::uint64_t>(axis.window)) <= 2;
    const bool one_part = along == Along::y && axis.window < 2 * batch_rows && axis.window > 4 * axis.stride;
    const bool by_halves = folded == Folded::maxima || (folded == Folded::sums && (few_digits || one_part));
    if (by_halves && (along == Along::y || axis.dilation == 1))
        return pays_in_parts(axis, along, folded) ? AxisWay::doubling : AxisWay::sequence;
    return pays_in_steps(axis, folded) ? AxisWay::in_parts : AxisWay::sequence;
}

std::int64_t additions_along(const AxisWindows& axis, AxisWay way) {
    if (way == AxisWay::doubling) return DoublingOrder(axis.window).additions();
    return way == AxisWay::in_parts ? folds_in_parts(axis.window) : std::min(axis.window, axis.in) - 1;
}

}  // namespace iir2d::pool
