// SPDX-License-Identifier: MIT
#include "kernels/pool/order.h"

#include <algorithm>
#include <bit>

#include "kernels/pool/doubling.h"

namespace iir2d::pool {

namespace {

// A window of up to so many taps is folded in a sequence, which is as fast.
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

}  // namespace

AxisWay way_along(const AxisWindows& axis, bool maximum) {
    // With all taps in place, padding included, a row must not become much longer than it is.
    const std::int64_t padded = (axis.out - 1) * axis.stride + axis.span();
    // More than 4 * in + 1024, which may not fit 63 bits.
    const bool much_longer = (padded - 1025) / 4 >= axis.in;
    if (axis.stride > 2 * axis.span() || much_longer) return AxisWay::one_by_one;
    if (axis.window > longest_sequence && axis.window > axis.stride * folds_in_parts(axis.window)) {
        // By halves, a sum takes as many additions again as its length has binary digits that are 1.
        const bool by_halves = maximum || std::popcount(static_cast<std::uint64_t>(axis.window)) <= 2;
        return by_halves ? AxisWay::doubling : AxisWay::in_parts;
    }
    return AxisWay::sequence;
}

std::int64_t additions_along(const AxisWindows& axis, AxisWay way) {
    if (way == AxisWay::doubling) return DoublingOrder(axis.window).additions();
    return way == AxisWay::in_parts ? folds_in_parts(axis.window) : std::min(axis.window, axis.in) - 1;
}

}  // namespace iir2d::pool
