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

template <class T>
struct Values {
    In<T> in;
    Values(const Word* frame, u32 place) : in(frame, place) {}
    T operator[](int l) const { return in[l]; }
};
template <bool Brain>
struct HalfValues {
    const Word* cells;
    HalfValues(const Word* frame, u32 place) : cells(frame + place) {}
    double operator[](int l) const { return widened(cells[l] & 0xffffU, Brain ? format_bf16 : format_f16); }
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

// setp p|q: the comparison, and its opposite, each combined with c.
template <class T, class From, Comparison Op, bool Ftz>
void setp(Word* frame, const Instruction& i, u32 mask) {
    const u32 bits = compared<T, From, Op, Ftz>(frame, i);
    const u32 first = combined(bits, frame, i);
    const u32 second = combined(~bits, frame, i);
    if (i.d != no_operand) store_mask(frame, i.d, mask, first);
    if (i.d2 != no_operand) store_mask(frame, i.d2, mask, second);
}
template <class T, class From, Comparison Op, bool Ftz>
void set(Word* frame, const Instruction& i, u32 mask) {
    const u32 bits = combined(compared<T, From, Op, Ftz>(frame, i), frame, i);
    const u32 yes = i.type == Type::f32 ? 0x3f800000U : 0xffffffffU;
    store<u32>(frame, i.d, mask, [=](int l) { return (bits & bit_of_lane[l]) != 0 ? yes : 0U; });
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

}  // namespace

LaneFunction find_compare_loop(const LoopKey& key) {
    const auto op = static_cast<Comparison>(key.op);
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
            return (key.flags & flag_ftz) != 0 ? find_float<float, Values<float>, true>(key.loop, op)
                                               : find_float<float, Values<float>, false>(key.loop, op);
        case Type::f64:
            return find_float<double, Values<double>, false>(key.loop, op);
        case Type::f16:
            return find_float<double, HalfValues<false>, false>(key.loop, op);
        case Type::bf16:
            return find_float<double, HalfValues<true>, false>(key.loop, op);
        default:
            return nullptr;
    }
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
