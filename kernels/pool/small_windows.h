// SPDX-License-Identifier: MIT
// Pools small windows, from the input's rows to an output row at once. Thread-safe; bits as in fold.h.
#pragma once

#include <cstdint>

#include "kernels/pool/fold.h"

namespace iir2d::pool {

// Describes windows of 1 to 3 neighbouring elements in each of up to 3 rows, `stride` apart in a row, for
// several output rows. Distances are in elements.
struct WindowRows {
    const float* first;           // element of the first output's window
    std::int64_t row_distance;    // from a window's row to its next
    std::int64_t below_distance;  // from a window to the one of the output row below
    int rows;
    int taps;
    int stride;  // 1 or 2
};
struct OutputRows {
    float* to;
    std::int64_t row_stride;
    std::int64_t rows;
    std::int64_t count;  // in a row
    Formula formula;     // not `power`
    double divisor;      // of an average
    bool non_temporal;
};

// Pools windows: each row of a window is folded from left to right, and then the rows. Sums are made in
// float, and again in double where that is not accurate. Reads no element but those of the windows.
void pool_windows(const WindowRows& windows, const OutputRows& out);

}  // namespace iir2d::pool
