// SPDX-License-Identifier: MIT
// cvt: quick loops for what compilers write most, the plain steps of convert() for the rest.
#include "core/ptx/half.h"
#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

// Integer to integer: the low bits of the source, extended to the destination's register.
template <class To, class From, class Register>
void widen(Word* frame, const Instruction& i, u32 mask) {
    if (i.width_a == 8) {
        const In<u64> a(frame, i.a);
        store<Register>(frame, i.d, mask, [=](int l) {
            return static_cast<Register>(static_cast<To>(static_cast<From>(a[l])));
        });
    } else {
        const In<u32> a(frame, i.a);
        store<Register>(frame, i.d, mask, [=](int l) {
            return static_cast<Register>(static_cast<To>(static_cast<From>(a[l])));
        });
    }
}
template <class To, class From>
LaneFunction find_widen(unsigned register_bytes) {
    if (register_bytes == 8) return widen<To, From, u64>;
    if (register_bytes == 4) return widen<To, From, u32>;
    return widen<To, From, u16>;
}
template <class To>
LaneFunction find_from(Type from, unsigned bytes) {
    switch (from) {
        case Type::u8:
            return find_widen<To, u8>(bytes);
        case Type::s8:
            return find_widen<To, i8>(bytes);
        case Type::u16:
            return find_widen<To, u16>(bytes);
        case Type::s16:
            return find_widen<To, i16>(bytes);
        case Type::u32:
            return find_widen<To, u32>(bytes);
        case Type::s32:
            return find_widen<To, i32>(bytes);
        case Type::u64:
        case Type::s64:
            return find_widen<To, u64>(bytes);
        default:
            return nullptr;
    }
}

template <class To, class From>
void to_float(Word* frame, const Instruction& i, u32 mask) {
    const In<From> a(frame, i.a);
    store<To>(frame, i.d, mask, [=](int l) { return static_cast<To>(a[l]); });
}
void double_to_float(Word* frame, const Instruction& i, u32 mask) {
    const In<double> a(frame, i.a);
    store<float>(frame, i.d, mask, [=](int l) {
        const float made = static_cast<float>(a[l]);
        return made == made ? made : __builtin_bit_cast(float, 0x7fffffffU);
    });
}
// Truncation to 32 bits, clamped. NaN: zero of f32, 0x80000000 of f64.
template <class From>
void to_i32(Word* frame, const Instruction& i, u32 mask) {
    const In<From> a(frame, i.a);
    store<i32>(frame, i.d, mask, [=](int l) {
        const From value = a[l];
        if (!(value < From(2147483648.0)))
            return value == value ? 0x7fffffff : sizeof(From) == 8 ? -0x7fffffff - 1 : 0;
        if (!(value >= From(-2147483648.0))) return -0x7fffffff - 1;
        return static_cast<i32>(value);
    });
}
// A half is exact in a float: by its bits, the subnormals by a multiplication.
void half_to_float(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    store<u32>(frame, i.d, mask, [=](int l) {
        const u32 bits = a[l] & 0xffffU;
        const u32 magnitude = bits & 0x7fffU;
        if (magnitude > 0x7c00U) return 0x7fffffffU;
        const u32 shifted = magnitude << 13U;
        const u32 normal = magnitude >= 0x7c00U ? shifted + ((255U - 31U) << 23U) : shifted + (112U << 23U);
        const u32 subnormal =
            __builtin_bit_cast(u32, static_cast<float>(static_cast<i32>(magnitude)) * 0x1p-24F);
        return (magnitude < 0x400U ? subnormal : normal) | ((bits & 0x8000U) << 16U);
    });
}
void brain_to_float(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    store<u32>(frame, i.d, mask, [=](int l) {
        const u32 bits = a[l] << 16U;
        return (bits & 0x7fffffffU) > 0x7f800000U ? 0x7fffffffU : bits;
    });
}
void float_to_brain(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    store<u16>(frame, i.d, mask, [=](int l) {
        const u32 bits = a[l];
        const u32 up = bits + 0x7fffU + ((bits >> 16U) & 1U);
        return static_cast<u16>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fffU : up >> 16U);
    });
}

u64 read(const Word* frame, u32 place, unsigned bytes, u32 l) {
    return bytes == 8 ? reinterpret_cast<const Wide*>(frame + place)[l] : frame[place + l];
}
void any(Word* frame, const Instruction& i, u32 mask) {
    for (u32 l = 0; l < lanes; ++l) {
        if ((mask & bit_of_lane[l]) == 0) continue;
        const u64 made = convert(read(frame, i.a, i.width_a, l), i);
        if (i.width_d == 8)
            reinterpret_cast<Wide*>(frame + i.d)[l] = made;
        else
            frame[i.d + l] = static_cast<u32>(i.width_d == 4 ? made : made & 0xffffU);
    }
}
// cvt.f16x2.f32 d, a, b: a becomes the upper half.
void pair(Word* frame, const Instruction& i, u32 mask) {
    const Format& format = i.type == Type::bf16x2 ? format_bf16 : format_f16;
    const In<float> a(frame, i.a);
    const In<float> b(frame, i.b);
    const bool relu = (i.flags & flag_relu) != 0;
    for (int l = 0; l < lanes; ++l) {
        if ((mask & bit_of_lane[l]) == 0) continue;
        const auto half = [&](float value) {
            return relu && value <= 0 ? 0U : narrowed(static_cast<double>(value), format, i.rounding);
        };
        frame[i.d + static_cast<u32>(l)] = (half(a[l]) << 16U) | half(b[l]);
    }
}

LaneFunction find_quick(const LoopKey& key) {
    const bool same_rounding = key.rounding == Rounding::nearest;
    const bool plain = key.flags == 0;
    const bool whole = key.flags == flag_integral;
    if (plain && same_rounding && key.width_d == bytes_of(key.type)) {
        if (key.type == Type::f32 && key.type2 == Type::s32 && key.width_a == 4) return to_float<float, i32>;
        if (key.type == Type::f32 && key.type2 == Type::u32 && key.width_a == 4) return to_float<float, u32>;
        if (key.type == Type::f64 && key.type2 == Type::s32 && key.width_a == 4) return to_float<double, i32>;
        if (key.type == Type::f64 && key.type2 == Type::u32 && key.width_a == 4) return to_float<double, u32>;
        if (key.type == Type::f64 && key.type2 == Type::s64) return to_float<double, i64>;
        if (key.type == Type::f32 && key.type2 == Type::s64) return to_float<float, i64>;
        if (key.type == Type::f64 && key.type2 == Type::f32) return to_float<double, float>;
        if (key.type == Type::f32 && key.type2 == Type::f64) return double_to_float;
        if (key.type == Type::f32 && key.type2 == Type::f16) return half_to_float;
        if (key.type == Type::f32 && key.type2 == Type::bf16) return brain_to_float;
    }
    if (plain && same_rounding && key.type == Type::bf16 && key.type2 == Type::f32 && key.width_d == 2)
        return float_to_brain;
    if (whole && key.rounding == Rounding::zero && key.type == Type::s32 && key.width_d == 4) {
        if (key.type2 == Type::f32) return to_i32<float>;
        if (key.type2 == Type::f64) return to_i32<double>;
    }
    return nullptr;
}

}  // namespace

LaneFunction find_convert_loop(const LoopKey& key) {
    if (key.loop == Loop::cvt_pair) return pair;
    if (key.flags == 0 && is_integer(key.type) && is_integer(key.type2)) {
        switch (key.type) {
            case Type::u8:
                return find_from<u8>(key.type2, key.width_d);
            case Type::s8:
                return find_from<i8>(key.type2, key.width_d);
            case Type::u16:
                return find_from<u16>(key.type2, key.width_d);
            case Type::s16:
                return find_from<i16>(key.type2, key.width_d);
            case Type::u32:
                return find_from<u32>(key.type2, key.width_d);
            case Type::s32:
                return find_from<i32>(key.type2, key.width_d);
            case Type::u64:
                return find_from<u64>(key.type2, key.width_d);
            default:
                return find_from<i64>(key.type2, key.width_d);
        }
    }
    const LaneFunction quick = find_quick(key);
    return quick != nullptr ? quick : any;
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
