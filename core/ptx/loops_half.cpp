// SPDX-License-Identifier: MIT
// Arithmetic of f16, bf16 and pairs of them: exact in double, rounded once.
#include "core/ptx/half.h"
#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

// One element, of 16 bits.
template <Loop Op>
u32 element(u32 a, u32 b, u32 c, const Format& format, u32 flags) {
    const u32 sign = 0x8000U;
    const auto flush = [&](u32 bits) {
        const u32 exponent = ((1U << format.exponent_bits) - 1) << format.fraction_bits;
        return (flags & flag_ftz) != 0 && (bits & exponent) == 0 ? bits & sign : bits;
    };
    a = flush(a);
    if constexpr (Op == Loop::neg) return a ^ sign;
    if constexpr (Op == Loop::abs) return a & ~sign;
    b = flush(b);
    const double x = widened(a, format);
    const double y = widened(b, format);
    if constexpr (Op == Loop::min || Op == Loop::max) {
        if (x != x || y != y) {
            if ((flags & flag_nan) != 0 || (x != x && y != y)) return format.nan;
            return x != x ? b : a;
        }
        if (x == y) return ((a & sign) != 0) == (Op == Loop::min) ? a : b;
        return (x < y) == (Op == Loop::min) ? a : b;
    }
    double exact = 0;
    if constexpr (Op == Loop::add) exact = sum_to_odd(x, y);
    if constexpr (Op == Loop::sub) exact = sum_to_odd(x, -y);
    if constexpr (Op == Loop::mul_lo) exact = x * y;
    if constexpr (Op == Loop::fma) exact = sum_to_odd(x * y, widened(flush(c), format));
    u32 bits = flush(narrowed(exact, format, Rounding::nearest));
    if ((flags & flag_saturate) != 0) {
        const double value = widened(bits, format);
        if (!(value > 0)) bits = 0;
        if (value > 1) bits = narrowed(1.0, format, Rounding::nearest);
    }
    if ((flags & flag_relu) != 0 &&
        (bits & 0x7fffU) <= (((1U << format.exponent_bits) - 1) << format.fraction_bits) &&
        (bits & sign) != 0)
        bits = 0;
    return bits;
}

template <Loop Op, bool Brain, bool Pair>
void run_half(Word* frame, const Instruction& i, u32 mask) {
    const Format& format = Brain ? format_bf16 : format_f16;
    const u32 b = i.b == no_operand ? i.a : i.b;
    const u32 c = i.c == no_operand ? i.a : i.c;
    for (u32 l = 0; l < lanes; ++l) {
        if ((mask & bit_of_lane[l]) == 0) continue;
        const u32 x = frame[i.a + l], y = frame[b + l], z = frame[c + l];
        u32 bits = element<Op>(x & 0xffffU, y & 0xffffU, z & 0xffffU, format, i.flags);
        if constexpr (Pair) bits |= element<Op>(x >> 16U, y >> 16U, z >> 16U, format, i.flags) << 16U;
        frame[i.d + l] = bits;
    }
}

template <bool Brain, bool Pair>
LaneFunction find(Loop loop) {
    switch (loop) {
        case Loop::add:
            return run_half<Loop::add, Brain, Pair>;
        case Loop::sub:
            return run_half<Loop::sub, Brain, Pair>;
        case Loop::mul_lo:
            return run_half<Loop::mul_lo, Brain, Pair>;
        case Loop::fma:
            return run_half<Loop::fma, Brain, Pair>;
        case Loop::min:
            return run_half<Loop::min, Brain, Pair>;
        case Loop::max:
            return run_half<Loop::max, Brain, Pair>;
        case Loop::neg:
            return run_half<Loop::neg, Brain, Pair>;
        case Loop::abs:
            return run_half<Loop::abs, Brain, Pair>;
        default:
            return nullptr;
    }
}

}  // namespace

LaneFunction find_half_loop(const LoopKey& key) {
    switch (key.type) {
        case Type::f16:
            return find<false, false>(key.loop);
        case Type::f16x2:
            return find<false, true>(key.loop);
        case Type::bf16:
            return find<true, false>(key.loop);
        case Type::bf16x2:
            return find<true, true>(key.loop);
        default:
            return nullptr;
    }
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
