// SPDX-License-Identifier: MIT
// Extends a line beyond its ends.
#pragma once

#include <cstdint>

#include "iir2d/filter.h"

namespace iir2d::iir {

// Returns the sample of a line of n >= 1 that index i reads, any number of periods outside; -1 where the
// border constant is read. Half-sample symmetric under mirror (x[-1] = x[0]).
inline std::int64_t border_index(std::int64_t i, std::int64_t n, Border border) {
    if (i >= 0 && i < n) return i;
    const auto modulo = [](std::int64_t a, std::int64_t period) {
        const std::int64_t m = a % period;
        return m < 0 ? m + period : m;
    };
    switch (border) {
        case Border::clamp:
            return i < 0 ? 0 : n - 1;
        case Border::mirror: {
            const std::int64_t m = modulo(i, 2 * n);
            return m < n ? m : 2 * n - 1 - m;
        }
        case Border::wrap:
            return modulo(i, n);
        case Border::constant:
            break;
    }
    return -1;
}

// Returns whether a line's extension repeats the line for ever.
constexpr bool is_periodic(Border border) {
    return border == Border::mirror || border == Border::wrap;
}

}  // namespace iir2d::iir
