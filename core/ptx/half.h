// SPDX-License-Identifier: MIT
// Numbers of 16 bits and of integers as doubles, and roundings to them. Plain functions, no state.
#pragma once

#include <cstdint>

#include "core/ptx/code.h"

namespace workbench::ptx {

// A binary format that doubles are rounded to.
struct Format {
    int fraction_bits = 0;  // 10 of f16, 7 of bf16, 23 of f32
    int exponent_bits = 0;
    std::uint32_t nan = 0;  // what a NaN becomes
};
constexpr Format format_f16{10, 5, 0x7fff};
constexpr Format format_bf16{7, 8, 0x7fff};
constexpr Format format_f32{23, 8, 0x7fffffff};

// Widens without rounding.
double widened(std::uint32_t bits, const Format& format);
// Rounds once, subnormals kept.
std::uint32_t narrowed(double value, const Format& format, Rounding rounding);
// Return a + b, or a * b + c, rounded to odd: narrowed() of it is the exact result rounded once.
double sum_to_odd(double a, double b);
// Rounds to an integer.
double integral(double value, Rounding rounding);
// Returns an integer as a double, rounded to odd where it does not fit.
double odd_double(std::uint64_t magnitude, bool negative);

}  // namespace workbench::ptx
