// SPDX-License-Identifier: MIT
// Prints literals as CUDA's and as the host's source have them.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "core/synth/print.h"

namespace workbench::synth {

namespace {

template <class T>
std::string shortest(T value) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(value)).ptr;
    std::string made(text.data(), end);
    if (made.find_first_of(".e") == std::string::npos) made += ".0";
    return std::signbit(value) ? "-" + made : made;
}

std::string hexadecimal(std::uint64_t bits) {
    std::array<char, 16> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), bits, 16).ptr;
    return "0x" + std::string(text.data(), end);
}

// Infinities and NaNs, which C++ has no number for; empty: another literal.
std::string_view host_special(const Expr& literal) {
    if (!is_float(literal.type)) return {};
    const double value = literal_value(literal);
    const bool narrow = literal.type == Type::f32;
    if (std::isnan(value)) return narrow ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
    if (!std::isinf(value)) return {};
    if (value > 0) return narrow ? "__builtin_inff()" : "__builtin_inf()";
    return narrow ? "(-__builtin_inff())" : "(-__builtin_inf())";
}

}  // namespace

std::string literal_text(const Expr& literal) {
    std::string made;
    switch (literal.type) {
        case Type::boolean:
            return literal.bits ? "true" : "false";
        case Type::f32:
            if (!std::isfinite(literal_value(literal)))
                return "__uint_as_float(" + hexadecimal(literal.bits) + "u)";
            made = shortest(std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits))) + "f";
            break;
        case Type::f64:
            if (!std::isfinite(literal_value(literal)))
                return "__longlong_as_double(" + hexadecimal(literal.bits) + "ull)";
            made = shortest(std::bit_cast<double>(literal.bits));
            break;
        case Type::i32:
            // Its number is one of more bits, with a minus before it.
            if (literal.bits == least_i32) return "((int)" + hexadecimal(literal.bits) + "u)";
            made = std::to_string(static_cast<std::int32_t>(literal.bits));
            break;
        case Type::i64:
            if (literal.bits == least_i64) return "((long long)" + hexadecimal(literal.bits) + "ull)";
            made = std::to_string(static_cast<std::int64_t>(literal.bits)) + "ll";
            break;
        case Type::u32:
            made = std::to_string(literal.bits) + "u";
            break;
        default:
            made = std::to_string(literal.bits) + "ull";
    }
    return made.front() == '-' ? "(" + made + ")" : made;
}

std::string host_literal_text(const Expr& literal) {
    const std::string_view special = host_special(literal);
    return special.empty() ? literal_text(literal) : std::string(special);
}

}  // namespace workbench::synth
