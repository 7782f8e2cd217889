// SPDX-License-Identifier: MIT
// The 16-bit storage types and how they become arithmetic and storage again, as rules that the CPU and the
// GPU compile: the same bits on both. Rounding is to nearest, ties to even (IEEE 754-2019, 4.3.1); f16 is its
// binary16, bf16 the upper half of its binary32.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/support/warp.h"

namespace iir2d {

struct Float16 {
    std::uint16_t bits;
};

struct BFloat16 {
    std::uint16_t bits;
};

namespace element {

template <class To, class From>
IIR2D_BOTH To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

IIR2D_BOTH float to_float(Float16 value) {
    const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
    const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
    const std::uint32_t mantissa = value.bits & 0x3ffU;
    // Choices between what is made of all, which vectors can make too.
    const auto small =
        bits_as<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(mantissa)) * 0x1p-24F);
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    const std::uint32_t usual = wide << 23 | mantissa << 13;
    return bits_as<float>(sign | (exponent == 0 ? small : usual));
}

IIR2D_BOTH float to_float(BFloat16 value) {
    return bits_as<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

IIR2D_BOTH Float16 to_f16(float value) {
    const auto bits = bits_as<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    // Choices between what is made of all, which vectors can make too. Next to 0.5 a float's steps are the
    // smallest f16.
    const float stepped = bits_as<float>(magnitude < 0x38800000U ? magnitude : 0U) + 0.5F;
    const std::uint32_t small = bits_as<std::uint32_t>(stepped) - bits_as<std::uint32_t>(0.5F);
    const std::uint32_t usual = (magnitude + 0xfffU + (magnitude >> 13 & 1U) - (112U << 23)) >> 13;
    std::uint32_t result = magnitude < 0x38800000U ? small : usual;
    result = magnitude >= 0x477ff000U ? 0x7c00U : result;  // from 65520 on, halfway to what has no room
    result = magnitude > 0x7f800000U ? 0x7e00U : result;   // a NaN
    return {static_cast<std::uint16_t>(sign | result)};
}

IIR2D_BOTH BFloat16 to_bf16(float value) {
    const auto bits = bits_as<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? bits >> 16 | 0x40U : rounded)};
}

// To the neighbour whose last bit is set, unless it is exact: what is then rounded to 16 bits is rounded
// once.
IIR2D_BOTH float to_odd_float(double value) {
    const auto nearest = static_cast<float>(value);
    const auto back = static_cast<double>(nearest);
    if (back == value || value != value) return nearest;
    auto bits = bits_as<std::uint32_t>(nearest);
    const bool beyond = value < 0 ? back < value : back > value;
    if (beyond) --bits;
    return bits_as<float>(bits | 1U);
}

// Returns a stored element in arithmetic of type Acc.
template <class Acc>
IIR2D_BOTH Acc load(float value) {
    return static_cast<Acc>(value);
}
template <class Acc>
IIR2D_BOTH Acc load(double value) {
    return static_cast<Acc>(value);
}
template <class Acc>
IIR2D_BOTH Acc load(Float16 value) {
    return static_cast<Acc>(to_float(value));
}
template <class Acc>
IIR2D_BOTH Acc load(BFloat16 value) {
    return static_cast<Acc>(to_float(value));
}

IIR2D_BOTH float narrowed(float value) {
    return value;
}
IIR2D_BOTH float narrowed(double value) {
    return to_odd_float(value);
}

// Rounded once to a stored element of type T.
template <class T>
struct Store {
    template <class Acc>
    IIR2D_BOTH static T of(Acc value) {
        return static_cast<T>(value);
    }
};
template <>
struct Store<Float16> {
    template <class Acc>
    IIR2D_BOTH static Float16 of(Acc value) {
        return to_f16(narrowed(value));
    }
};
template <>
struct Store<BFloat16> {
    template <class Acc>
    IIR2D_BOTH static BFloat16 of(Acc value) {
        return to_bf16(narrowed(value));
    }
};

template <class T, class Acc>
IIR2D_BOTH T store(Acc value) {
    return Store<T>::of(value);
}

}  // namespace element

}  // namespace iir2d
