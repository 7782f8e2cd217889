// SPDX-License-Identifier: MIT
// Chooses in which order the elements of a window are folded along an axis: from its first to its last, or in
// parts that neighbouring windows share. It depends on the descriptor alone.
#pragma once

#include <cstdint>
#include <vector>

#include "iir2d/tensor.h"
#include "kernels/pool/windows.h"

namespace iir2d::pool {

// Describes one step: from parts of `part` neighbouring taps to ones of parts * part + singles: a part, those
// that follow it side by side, then single taps.
struct PartStep {
    std::int64_t part;
    std::int64_t parts;    // 2 to 4
    std::int64_t singles;  // 0 to 3

    std::int64_t made() const { return parts * part + singles; }
    // Taps from the first of the last part that is read to the end of what is made.
    std::int64_t reach() const { return (parts - 1) * part + singles; }
};

// Returns the steps from single taps to a window, by the digits of its length to base 4; none for a window
// of 1.
std::vector<PartStep> part_steps(std::int64_t window);

enum class AxisWay {
    sequence,   // first to last tap, all windows of a row at once
    in_parts,   // part_steps(): few folds for each element, however large the window
    doubling,   // prefix doubling, doubling.h: parts of 2, 4, 8, ... taps
    one_by_one  // first to last tap, window after window: where they lie far apart or mostly in the padding
};
// Returns whether a sum's additions are in another order than from its first tap to its last.
constexpr bool is_in_parts(AxisWay way) {
    return way == AxisWay::in_parts || way == AxisWay::doubling;
}
// Returns whether a row with all taps in place, padding included, is much longer than it is.
bool has_much_padding(const AxisWindows& axis);
enum class Along { x, y };
enum class Folded { sums, maxima, pairs };  // pairs of a value and its index, which no doubling takes
// Returns the way that takes least time for elements that are folded as f32 or f64: docs/pooling.md has what
// was measured.
AxisWay way_along(const AxisWindows& axis, Along along, Folded folded, ElementType accumulator);

// Returns the most rounded additions between an element of a window and its sum.
std::int64_t additions_along(const AxisWindows& axis, AxisWay way);

}  // namespace iir2d::pool
