// SPDX-License-Identifier: MIT
// In which order the elements of a window are folded along an axis: from its first to its last, or by
// doubling, where neighbouring windows share most of their elements. It depends on the descriptor alone.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/pool/windows.h"

namespace iir2d::pool {

// From every part of `half` elements to every part of twice as many, and one more where `odd`: the parts
// that begin at an element and `half` taps behind it, then the element 2 * half taps behind it.
struct DoublingStep {
    std::int64_t half = 1;
    bool odd = false;
    std::int64_t made() const { return 2 * half + (odd ? 1 : 0); }
    // From the first element of a part that is made to the last one that is read for it, in taps.
    std::int64_t reach() const { return half + (odd ? 1 : 0); }
};

// From single elements to windows; none for a window of 1.
std::vector<DoublingStep> doubling_steps(std::int64_t window);

enum class AxisWay {
    sequence,   // first to last tap, all windows of a row at once
    doubling,   // doubling_steps(): log2(window) folds of each element, whatever the window
    one_by_one  // first to last tap, window after window: where they lie far apart or mostly in the padding
};
AxisWay way_along(const AxisWindows& axis);

// Rounded additions between the elements of a window and its sum, at most.
std::int64_t additions_along(const AxisWindows& axis, AxisWay way);

}  // namespace iir2d::pool
