// SPDX-License-Identifier: MIT
// What the expectations of integers and of floating point share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/core/ptx/opcode_expectation.h"
#include "tests/core/ptx/rounding.h"

namespace ptx_test {

__extension__ using Big = __int128;

inline unsigned width_of(const std::string& type) {
    if (type == "pred") return 1;
    if (type.ends_with("x2")) return 32;
    return static_cast<unsigned>(std::stoul(type.substr(type.find_first_of("0123456789"))));
}
inline bool is_float(const std::string& type) {
    return type == "f16" || type == "bf16" || type == "f32" || type == "f64";
}
inline std::uint64_t cut(Big value, unsigned width) {
    const auto bits = static_cast<std::uint64_t>(value);
    return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}
inline Big integer(std::uint64_t bits, const std::string& type) {
    const unsigned width = width_of(type);
    const std::uint64_t low = cut(static_cast<Big>(bits), width);
    if (type[0] == 's' && ((low >> (width - 1)) & 1U) != 0) return static_cast<Big>(low) - (Big{1} << width);
    return static_cast<Big>(low);
}
inline Big least(const std::string& type) {
    return type[0] == 's' ? -(Big{1} << (width_of(type) - 1)) : Big{0};
}
inline Big most(const std::string& type) {
    return type[0] == 's' ? (Big{1} << (width_of(type) - 1)) - 1 : (Big{1} << width_of(type)) - 1;
}
inline const Layout& layout_of(const std::string& type) {
    return type == "f64"                        ? f64_layout
           : type == "f32"                      ? f32_layout
           : type == "bf16" || type == "bf16x2" ? bf16_layout
                                                : f16_layout;
}
inline std::uint64_t flushed(std::uint64_t bits, const Layout& layout) {
    const std::uint64_t sign = std::uint64_t{1} << (layout.fraction + layout.exponent);
    const std::uint64_t exponent = ((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction;
    return (bits & exponent) == 0 ? bits & sign : bits;
}

std::optional<Expectation> of_integers(const std::vector<std::string>& p);
std::optional<Expectation> of_bits(const std::vector<std::string>& p);

}  // namespace ptx_test
