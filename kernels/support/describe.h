// SPDX-License-Identifier: MIT
// Values as error messages show them.
#pragma once

#include <charconv>
#include <string>

#include "iir2d/tensor.h"

namespace iir2d::support {

// "3x2", height first.
inline std::string describe(const Extent& e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}

// "[1, 3, 480, 640]"
inline std::string describe(const Shape& s) {
    return std::string("[") + std::to_string(s.n) + ", " + std::to_string(s.c) + ", " + std::to_string(s.h) +
           ", " + std::to_string(s.w) + "]";
}

// Returns the shortest text that reads back as the same number, in any locale.
inline std::string describe(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    return {text, end};
}

}  // namespace iir2d::support
