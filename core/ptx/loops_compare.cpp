// SPDX-License-Identifier: MIT
// setp and set.
#include "core/ptx/half.h"
#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

template <class T, Comparison Op>
bool holds(T a, T b) {
    switch (Op) {
        case Comparison::eq:
            return a == b;
        case Comparison::ne:
            return !(a == b) && a == a && b == b;
        case Comparison::lt:
        case Comparison::lo:
            return a < b;
        case Comparison::le:
        case Comparison::ls:
            return a <= b;
        case Comparison::gt:
        case Comparison::hi:
            return a > b;
        case Comparison::ge:
        case Comparison::hs:
            return a >= b;
        case Comparison::equ:
            return a == b || a != a || b != b;
        case Comparison::neu:
            return !(a == b);
        case Comparison::ltu:
            return !(a >= b);
        case Comparison::leu:
            return !(a > b);
        case Comparison::gtu:
            return !(a <= b);
        case Comparison::geu:
            return !(a < b);
        case Comparison::num:
            return a == a && b == b;
        case Comparison::nan:
            return a != a || b != b;
    }
    return false;
}

// A value as it is compared: itself, or flushed, or widened.
template <class T>
T flushed(T value) {
    return value;
}
template <>
float flushed<float>(float value) {
    const u32 bits = __builtin_bit_cast(u32, value);
    return (bits & 0x7f800000U) == 0 ? 0.0F : value;
}

// Sources of a comparison. `High` is where the other half of a pair is.
template <class T>
struct Values {
    static constexpr bool is_pair = false;
    using High = Values;
    In<T> in;
    Values(const Word* frame, u32 place) : in(frame, place) {}
    T operator[](int l) const { return in[l]; }
};
enum class Half { alone, low, high };
template <bool Brain, bool Ftz, Half Which>
struct HalfValues {
    static constexpr bool is_pair = Which == Half::low;
    using High = HalfValues<Brain, Ftz, Half::high>;
    const Word* cells;
    HalfValues(const Word* frame, u32 place) : cells(frame + place) {}
    double operator[](int l) const {
        const Format& format = Brain ? format_bf16 : format_f16;
        const u32 bits = Which == Half::high ? cells[l] >> 16U : cells[l] & 0xffffU;
        const u32 exponent = ((1U << format.exponent_bits) - 1) << format.fraction_bits;
        return Ftz && (bits & exponent) == 0 ? 0.0 : widened(bits, format);
    }
};

template <class T, class From, Comparison Op, bool Ftz>
u32 compared(Word* frame, const Instruction& i) {
    const From a(frame, i.a);
    const From b(frame, i.b);
    return gather([=](int l) {
        if constexpr (Ftz)
            return holds<T, Op>(flushed<T>(a[l]), flushed<T>(b[l]));
        else
            return holds<T, Op>(a[l], b[l]);
    });
}

u32 combined(u32 bits, const Word* frame, const Instruction& i) {
    const auto how = static_cast<Combine>(i.op2);
    if (how == Combine::none) return bits;
    const u32 c = (i.flags & flag_negate_c) != 0 ? ~frame[i.c] : frame[i.c];
    return how == Combine::bit_and ? bits & c : how == Combine::bit_or ? bits | c : bits ^ c;
}

// setp p|q: the comparison and its opposite, or of a pair that of the low and that of the high halves, each
// combined with c.
template <class T, class From, Comparison Op, bool Ftz>
void setp(Word* frame, const Instruction& i, u32 mask) {
    const u32 bits = compared<T, From, Op, Ftz>(frame, i);
    const u32 first = combined(bits, frame, i);
    u32 second = ~bits;
    if constexpr (From::is_pair) second = compared<T, typename From::High, Op, Ftz>(frame, i);
    second = combined(second, frame, i);
    if (i.d != no_operand) store_mask(frame, i.d, mask, first);
    if (i.d2 != no_operand) store_mask(frame, i.d2, mask, second);
}

// What `set` writes where a comparison holds: 1 in a type of floating point, else ones in every bit.
u32 yes_of(Type type) {
    switch (type) {
        case Type::f32:
            return 0x3f800000U;
        case Type::f16:
        case Type::f16x2:
            return 0x3c00U;
        case Type::bf16:
        case Type::bf16x2:
            return 0x3f80U;
        case Type::u16:
        case Type::s16:
            return 0xffffU;
        default:
            return 0xffffffffU;
    }
}
template <class T, class From, Comparison Op, bool Ftz>
void set(Word* frame, const Instruction& i, u32 mask) {
    const u32 bits = combined(compared<T, From, Op, Ftz>(frame, i), frame, i);
    const u32 yes = From::is_pair ? yes_of(i.type) & 0xffffU : yes_of(i.type);
    u32 high = 0;
    if constexpr (From::is_pair)
        high = combined(compared<T, typename From::High, Op, Ftz>(frame, i), frame, i);
    store<u32>(frame, i.d, mask, [=](int l) {
        const u32 bit = bit_of_lane[l];
        return ((bits & bit) != 0 ? yes : 0U) | ((high & bit) != 0 ? yes << 16U : 0U);
    });
}

template <class T, class From, bool Ftz, Comparison Op>
LaneFunction one(Loop loop) {
    return loop == Loop::set ? set<T, From, Op, Ftz> : setp<T, From, Op, Ftz>;
}

template <class T, class From, bool Ftz>
LaneFunction find_ordered(Loop loop, Comparison op) {
    switch (op) {
        case Comparison::eq:
            return one<T, From, Ftz, Comparison::eq>(loop);
        case Comparison::ne:
            return one<T, From, Ftz, Comparison::ne>(loop);
        case Comparison::lt:
        case Comparison::lo:
            return one<T, From, Ftz, Comparison::lt>(loop);
        case Comparison::le:
        case Comparison::ls:
            return one<T, From, Ftz, Comparison::le>(loop);
        case Comparison::gt:
        case Comparison::hi:
            return one<T, From, Ftz, Comparison::gt>(loop);
        case Comparison::ge:
        case Comparison::hs:
            return one<T, From, Ftz, Comparison::ge>(loop);
        default:
            return nullptr;
    }
}
template <class T, class From, bool Ftz>
LaneFunction find_float(Loop loop, Comparison op) {
    switch (op) {
        case Comparison::equ:
            return one<T, From, Ftz, Comparison::equ>(loop);
        case Comparison::neu:
            return one<T, From, Ftz, Comparison::neu>(loop);
        case Comparison::ltu:
            return one<T, From, Ftz, Comparison::ltu>(loop);
        case Comparison::leu:
            return one<T, From, Ftz, Comparison::leu>(loop);
        case Comparison::gtu:
            return one<T, From, Ftz, Comparison::gtu>(loop);
        case Comparison::geu:
            return one<T, From, Ftz, Comparison::geu>(loop);
        case Comparison::num:
            return one<T, From, Ftz, Comparison::num>(loop);
        case Comparison::nan:
            return one<T, From, Ftz, Comparison::nan>(loop);
        default:
            return find_ordered<T, From, Ftz>(loop, op);
    }
}

template <bool Brain, bool Ftz, Half Which>
LaneFunction find_half(Loop loop, Comparison op) {
    return find_float<double, HalfValues<Brain, Ftz, Which>, false>(loop, op);
}

}  // namespace

LaneFunction find_compare_loop(const LoopKey& key) {
    const auto op = static_cast<Comparison>(key.op);
    const bool flushes = (key.flags & flag_ftz) != 0;
    switch (key.type2) {
        case Type::b16:
        case Type::u16:
            return find_ordered<u16, Values<u16>, false>(key.loop, op);
        case Type::s16:
            return find_ordered<i16, Values<i16>, false>(key.loop, op);
        case Type::b32:
        case Type::u32:
            return find_ordered<u32, Values<u32>, false>(key.loop, op);
        case Type::s32:
            return find_ordered<i32, Values<i32>, false>(key.loop, op);
        case Type::b64:
        case Type::u64:
            return find_ordered<u64, Values<u64>, false>(key.loop, op);
        case Type::s64:
            return find_ordered<i64, Values<i64>, false>(key.loop, op);
        case Type::f32:
            return flushes ? find_float<float, Values<float>, true>(key.loop, op)
                           : find_float<float, Values<float>, false>(key.loop, op);
        case Type::f64:
            return find_float<double, Values<double>, false>(key.loop, op);
        case Type::f16:
            return flushes ? find_half<false, true, Half::alone>(key.loop, op)
                           : find_half<false, false, Half::alone>(key.loop, op);
        case Type::f16x2:
            return flushes ? find_half<false, true, Half::low>(key.loop, op)
                           : find_half<false, false, Half::low>(key.loop, op);
        case Type::bf16:
            return find_half<true, false, Half::alone>(key.loop, op);
        case Type::bf16x2:
            return find_half<true, false, Half::low>(key.loop, op);
        default:
            return nullptr;
    }
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
