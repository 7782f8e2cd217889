// SPDX-License-Identifier: MIT
#include "kernels/pool/order.h"

#include <algorithm>
#include <bit>

namespace iir2d::pool {

namespace {

// A window of up to so many taps is folded in a sequence, which is as fast.
constexpr std::int64_t longest_sequence = 8;

}  // namespace

std::vector<DoublingStep> doubling_steps(std::int64_t window) {
    std::vector<DoublingStep> steps;
    // The window's binary digits behind the first, from the highest.
    for (int digit = std::bit_width(static_cast<std::uint64_t>(window)) - 2; digit >= 0; --digit) {
        const std::int64_t half = window >> (digit + 1);
        steps.push_back({half, ((window >> digit) & 1) != 0});
    }
    return steps;
}

AxisWay way_along(const AxisWindows& axis) {
    // With all taps in place, padding included, a row must not become much longer than it is.
    const std::int64_t padded = (axis.out - 1) * axis.stride + axis.span();
    if (axis.stride > 2 * axis.span() || padded > 4 * axis.in + 1024) return AxisWay::one_by_one;
    const auto steps = static_cast<std::int64_t>(doubling_steps(axis.window).size());
    if (axis.window > longest_sequence && axis.window > 2 * axis.stride * steps) return AxisWay::doubling;
    return AxisWay::sequence;
}

std::int64_t additions_along(const AxisWindows& axis, AxisWay way) {
    if (way != AxisWay::doubling) return std::min(axis.window, axis.in) - 1;
    std::int64_t additions = 0;
    for (const DoublingStep& step : doubling_steps(axis.window)) additions += step.odd ? 2 : 1;
    return additions;
}

}  // namespace iir2d::pool
