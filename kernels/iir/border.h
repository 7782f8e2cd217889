// SPDX-License-Identifier: MIT
// What a line reads outside itself.
#pragma once

#include <cstdint>

#include "iir2d/filter.h"
#include "kernels/iir/border_index.h"

namespace iir2d::iir {

inline std::int64_t border_index(std::int64_t i, std::int64_t n, Border border) {
    return border_index(i, n, static_cast<int>(border));
}

// True where a line's extension repeats the line for ever.
constexpr bool is_periodic(Border border) {
    return border == Border::mirror || border == Border::wrap;
}

}  // namespace iir2d::iir
