// SPDX-License-Identifier: MIT
// cvt in plain steps, for every pair of types and rounding.
#include <bit>
#include <cmath>

#include "core/ptx/half.h"
#include "core/ptx/loops.h"

namespace workbench::ptx {

namespace {

constexpr bool is_float(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

const Format& format_of(Type type) {
    return type == Type::f16 ? format_f16 : type == Type::bf16 ? format_bf16 : format_f32;
}

std::uint64_t low_bits(std::uint64_t bits, unsigned bytes) {
    return bytes >= 8 ? bits : bits & ((1ULL << (8 * bytes)) - 1);
}

// An integer as a sign and a magnitude.
struct Integer {
    bool negative = false;
    std::uint64_t magnitude = 0;
};

Integer integer_of(std::uint64_t bits, Type type) {
    const unsigned bytes = bytes_of(type);
    const std::uint64_t low = low_bits(bits, bytes);
    const bool negative = is_signed(type) && ((low >> (8 * bytes - 1)) & 1U) != 0;
    return {negative, negative ? low_bits(0 - low, bytes) : low};
}

std::uint64_t bits_of(const Integer& value) {
    return value.negative ? 0 - value.magnitude : value.magnitude;
}

std::uint64_t greatest(Type type) {
    const unsigned width = 8 * bytes_of(type);
    const std::uint64_t all = width == 64 ? ~0ULL : (1ULL << width) - 1;
    return is_signed(type) ? all >> 1U : all;
}

Integer clamped(Integer value, Type type) {
    if (value.negative) {
        const std::uint64_t most = is_signed(type) ? greatest(type) + 1 : 0;
        if (value.magnitude > most) value.magnitude = most;
    } else if (value.magnitude > greatest(type)) {
        value.magnitude = greatest(type);
    }
    return value;
}

double float_of(std::uint64_t bits, Type type) {
    switch (type) {
        case Type::f64:
            return std::bit_cast<double>(bits);
        case Type::f32:
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        default:
            return widened(static_cast<std::uint32_t>(bits & 0xffffU), format_of(type));
    }
}

// A double rounded in a direction, of a sum that was rounded to odd or of an exact value.
std::uint64_t rounded_to(double value, Type type, Rounding rounding) {
    if (type == Type::f64) return std::bit_cast<std::uint64_t>(value);
    return narrowed(value, format_of(type), rounding);
}

// 64-bit integers do not fit a double: rounded here as asked for.
std::uint64_t double_of_integer(const Integer& value, Rounding rounding) {
    const double odd = odd_double(value.magnitude, value.negative);
    if (value.magnitude < 1ULL << 53U) return std::bit_cast<std::uint64_t>(odd);
    const int cut = 11 - std::countl_zero(value.magnitude);
    const std::uint64_t kept = value.magnitude >> cut;
    const std::uint64_t rest = value.magnitude - (kept << cut);
    const std::uint64_t middle = 1ULL << (cut - 1);
    const bool up =
        rest != 0 && (rounding == Rounding::nearest ? rest > middle || (rest == middle && (kept & 1U) != 0)
                      : rounding == Rounding::minus ? value.negative
                      : rounding == Rounding::plus  ? !value.negative
                                                    : false);
    const double magnitude = std::ldexp(static_cast<double>(kept + (up ? 1 : 0)), cut);
    return std::bit_cast<std::uint64_t>(value.negative ? -magnitude : magnitude);
}

std::uint64_t flushed_f32(std::uint64_t bits) {
    return (bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits;
}

std::uint64_t saturated(std::uint64_t bits, Type type) {
    const double value = float_of(bits, type);
    if (!(value > 0)) return 0;
    return value < 1 ? bits : rounded_to(1.0, type, Rounding::nearest);
}

std::uint64_t float_to_integer(double value, Type from, Type to, Rounding rounding) {
    if (value != value) {
        const bool zero = from != Type::f64 && bytes_of(to) != 8;
        return zero ? 0 : bits_of(integer_of(1ULL << (8 * bytes_of(to) - 1), to));
    }
    const double whole = integral(value, rounding);
    const bool negative = std::signbit(whole);
    const double size = std::fabs(whole);
    const std::uint64_t magnitude = size >= 0x1p64 ? ~0ULL : static_cast<std::uint64_t>(size);
    return bits_of(clamped({negative, magnitude}, to));
}

std::uint64_t float_to_float(std::uint64_t bits, const Instruction& i) {
    const Type to = i.type;
    const Type from = i.type2;
    double value = float_of(bits, from);
    if ((i.flags & flag_integral) != 0) value = integral(value, i.rounding);
    // Of its own type nothing is rounded, but a NaN is made canonical only by those of less than 64 bits.
    std::uint64_t made =
        rounded_to(value, to, (i.flags & flag_integral) != 0 ? Rounding::nearest : i.rounding);
    if (to == Type::f32 && (i.flags & flag_ftz) != 0) made = flushed_f32(made);
    if ((i.flags & flag_relu) != 0 && std::signbit(value) && value == value) made = 0;
    return (i.flags & flag_saturate) != 0 ? saturated(made, to) : made;
}

}  // namespace

std::uint64_t convert(std::uint64_t bits, const Instruction& i) {
    const Type to = i.type;
    const Type from = i.type2;
    if (from == Type::f32) {
        bits = low_bits(bits, 4);
        if ((i.flags & flag_ftz) != 0) bits = flushed_f32(bits);
    }
    if (is_float(from))
        return is_float(to) ? float_to_float(bits, i)
                            : float_to_integer(float_of(bits, from), from, to, i.rounding);
    const Integer value = integer_of(bits, from);
    if (!is_float(to)) {
        const std::uint64_t made = bits_of((i.flags & flag_saturate) != 0 ? clamped(value, to) : value);
        // A register that is wider than the type gets the type's value.
        return bits_of(integer_of(made, to));
    }
    const std::uint64_t made = to == Type::f64
                                   ? double_of_integer(value, i.rounding)
                                   : rounded_to(odd_double(value.magnitude, value.negative), to, i.rounding);
    return (i.flags & flag_saturate) != 0 ? saturated(made, to) : made;
}

}  // namespace workbench::ptx
