// SPDX-License-Identifier: MIT
#include "core/ptx/half.h"

#include <bit>
#include <cmath>

namespace workbench::ptx {

namespace {

constexpr std::uint64_t double_infinity = 0x7ff0000000000000ULL;
constexpr std::uint64_t double_fraction = (1ULL << 52U) - 1;

// Whether a magnitude that lies between two neighbours goes to the upper one. `half` compares what is cut off
// with half of the distance: -1 below, 0 equal, 1 above.
bool goes_up(bool negative, bool odd, int half, Rounding rounding) {
    switch (rounding) {
        case Rounding::nearest:
            return half > 0 || (half == 0 && odd);
        case Rounding::zero:
            return false;
        case Rounding::minus:
            return negative;
        case Rounding::plus:
            return !negative;
    }
    return false;
}

}  // namespace

double widened(std::uint32_t bits, const Format& format) {
    const std::uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
    const std::uint32_t exponent = (bits >> format.fraction_bits) & ((1U << format.exponent_bits) - 1);
    const bool negative = ((bits >> (format.fraction_bits + format.exponent_bits)) & 1U) != 0;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const auto all = (1U << format.exponent_bits) - 1;
    double magnitude = 0;
    if (exponent == all) {
        if (fraction != 0) return std::bit_cast<double>(0x7fffffffffffffffULL);
        magnitude = std::bit_cast<double>(double_infinity);
    } else if (exponent == 0) {
        magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - format.fraction_bits);
    } else {
        magnitude = std::ldexp(static_cast<double>(fraction | (1U << format.fraction_bits)),
                               static_cast<int>(exponent) - bias - format.fraction_bits);
    }
    return negative ? -magnitude : magnitude;
}

std::uint32_t narrowed(double value, const Format& format, Rounding rounding) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = (bits >> 63U) != 0;
    const std::uint64_t magnitude = bits & ~(1ULL << 63U);
    const std::uint32_t sign = negative ? 1U << (format.fraction_bits + format.exponent_bits) : 0;
    const std::uint32_t infinity = ((1U << format.exponent_bits) - 1) << format.fraction_bits;
    if (magnitude > double_infinity) return format.nan;
    if (magnitude == double_infinity) return sign | infinity;
    if (magnitude == 0) return sign;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(magnitude >> 52U);
    std::uint64_t significand = magnitude & double_fraction;
    int power = -1022;  // of the significand's top place, 1.xxx * 2^power
    if (exponent != 0) {
        significand |= 1ULL << 52U;
        power = exponent - 1023;
    }
    const int least = 1 - bias;
    // How many of the 52 places behind the point are cut off.
    int cut = 52 - format.fraction_bits;
    if (power < least) cut += least - power;
    std::uint64_t kept = 0;
    int half = -1;
    if (cut <= 54) {
        kept = cut < 64 ? significand >> cut : 0;
        const std::uint64_t rest = significand - (kept << cut);
        const std::uint64_t middle = 1ULL << (cut - 1);
        half = rest < middle ? -1 : rest > middle ? 1 : 0;
        if (rest == 0) half = -2;  // exact
    }
    if (half != -2 && goes_up(negative, (kept & 1U) != 0, half, rounding)) ++kept;
    // A carry out of the fraction raises the exponent by itself.
    std::uint64_t made = kept;
    if (power >= least)
        made = kept + ((static_cast<std::uint64_t>(power + bias) - 1)
                       << static_cast<unsigned>(format.fraction_bits));
    if (made >= infinity) {
        const bool to_infinity = rounding == Rounding::nearest || (rounding == Rounding::plus && !negative) ||
                                 (rounding == Rounding::minus && negative);
        return sign | (to_infinity ? infinity : infinity - 1);
    }
    return sign | static_cast<std::uint32_t>(made);
}

double sum_to_odd(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum)) return sum;
    const double b_part = sum - a;
    const double error = (a - (sum - b_part)) + (b - b_part);
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    if (error == 0 || (bits & 1U) != 0) return sum;
    // Towards the exact sum by one step: up in magnitude where the error has the sum's sign.
    const bool away = (error > 0) == (sum > 0);
    return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

double integral(double value, Rounding rounding) {
    switch (rounding) {
        case Rounding::nearest:
            return std::nearbyint(value);
        case Rounding::zero:
            return std::trunc(value);
        case Rounding::minus:
            return std::floor(value);
        case Rounding::plus:
            return std::ceil(value);
    }
    return value;
}

double odd_double(std::uint64_t magnitude, bool negative) {
    if (magnitude >= 1ULL << 53U) {
        const int cut = 11 - std::countl_zero(magnitude);
        const std::uint64_t kept = magnitude >> cut;
        const bool sticky = (kept << cut) != magnitude;
        const double value = std::ldexp(static_cast<double>(sticky ? kept | 1U : kept), cut);
        return negative ? -value : value;
    }
    const auto value = static_cast<double>(magnitude);
    return negative ? -value : value;
}

}  // namespace workbench::ptx
