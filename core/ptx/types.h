// SPDX-License-Identifier: MIT
// The types that PTX instructions have, and the spaces that addresses lie in.
#pragma once

#include <cstdint>
#include <string_view>

namespace workbench::ptx {

constexpr int lanes = 32;
constexpr std::uint32_t every_lane = 0xffffffffU;

enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    f32,
    f64,
};

enum class Space : std::uint8_t { generic, param, constant, global, shared, local };

// Names a type as PTX does, without the dot; none is "".
std::string_view name_of(Type type);
// Returns the type of that name; none where there is none.
Type type_named(std::string_view name);
std::string_view name_of(Space space);

// Gives the size of a value in bytes; 0 for none and pred.
constexpr unsigned bytes_of(Type type) {
    switch (type) {
        case Type::none:
        case Type::pred:
            return 0;
        case Type::b8:
        case Type::u8:
        case Type::s8:
            return 1;
        case Type::b16:
        case Type::u16:
        case Type::s16:
        case Type::f16:
        case Type::bf16:
            return 2;
        case Type::b32:
        case Type::u32:
        case Type::s32:
        case Type::f32:
        case Type::f16x2:
        case Type::bf16x2:
            return 4;
        case Type::b64:
        case Type::u64:
        case Type::s64:
        case Type::f64:
            return 8;
    }
    return 0;
}

constexpr bool is_signed(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}
constexpr bool is_unsigned(Type type) {
    return type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64;
}
constexpr bool is_integer(Type type) {
    return is_signed(type) || is_unsigned(type);
}
constexpr bool is_bits(Type type) {
    return type == Type::b8 || type == Type::b16 || type == Type::b32 || type == Type::b64;
}
constexpr bool is_half(Type type) {
    return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

}  // namespace workbench::ptx
