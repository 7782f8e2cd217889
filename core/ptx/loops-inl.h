// SPDX-License-Identifier: MIT
// Provides the types and operations that the loops are written in. Included by sources that are compiled once
// for each target, in the target's own namespace, so that no function is shared between them; for the same
// reason nothing of the standard library is called here that is not a builtin or a function of the C library.
#pragma once

#include "core/ptx/loops.h"

#if !defined(IIR2D_PTX_TARGET)
#error "compile this for a target: IIR2D_PTX_TARGET=baseline or avx2"
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define IIR2D_PTX_LANES _Pragma("GCC ivdep") for (int l = 0; l < lanes; ++l)
#else
#define IIR2D_PTX_LANES for (int l = 0; l < lanes; ++l)
#endif

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <int Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using type = u8;
};
template <>
struct UnsignedOf<2> {
    using type = u16;
};
template <>
struct UnsignedOf<4> {
    using type = u32;
};
template <>
struct UnsignedOf<8> {
    using type = u64;
};
// The unsigned type as wide as T.
template <class T>
using Bits = typename UnsignedOf<static_cast<int>(sizeof(T))>::type;
// The unsigned type that arithmetic on T is done in: no promotion to int, no overflow.
template <class T>
using Modular = typename UnsignedOf<sizeof(T) == 8 ? 8 : 4>::type;

template <bool Wide8>
struct CellOf {
    using type = Word;
};
template <>
struct CellOf<true> {
    using type = Wide;
};
// Names the type that holds a T in a register.
template <class T>
using Cell = typename CellOf<sizeof(T) == 8>::type;

constexpr bool is_negative_type(auto zero) {
    return decltype(zero)(-1) < decltype(zero)(0);
}

// The values of a register, lane by lane.
template <class T>
struct In {
    const Cell<T>* cells;
    In(const Word* frame, u32 place) : cells(reinterpret_cast<const Cell<T>*>(frame + place)) {}
    T operator[](int l) const { return __builtin_bit_cast(T, static_cast<Bits<T>>(cells[l])); }
};

// Bit l, in lane l.
alignas(64) constexpr u32 bit_of_lane[lanes] = {
    1U << 0U,  1U << 1U,  1U << 2U,  1U << 3U,  1U << 4U,  1U << 5U,  1U << 6U,  1U << 7U,
    1U << 8U,  1U << 9U,  1U << 10U, 1U << 11U, 1U << 12U, 1U << 13U, 1U << 14U, 1U << 15U,
    1U << 16U, 1U << 17U, 1U << 18U, 1U << 19U, 1U << 20U, 1U << 21U, 1U << 22U, 1U << 23U,
    1U << 24U, 1U << 25U, 1U << 26U, 1U << 27U, 1U << 28U, 1U << 29U, 1U << 30U, 1U << 31U};

// Stores f(l) in the lanes of a mask. f runs in every lane, so it may not trap.
template <class T, class F>
void store(Word* frame, u32 place, u32 mask, F f) {
    using C = Cell<T>;
    C* const d = reinterpret_cast<C*>(frame + place);
    if (mask == every_lane) {
        IIR2D_PTX_LANES d[l] = __builtin_bit_cast(Bits<T>, static_cast<T>(f(l)));
        return;
    }
    alignas(64) C made[lanes];
    IIR2D_PTX_LANES made[l] = __builtin_bit_cast(Bits<T>, static_cast<T>(f(l)));
    IIR2D_PTX_LANES d[l] = (mask & bit_of_lane[l]) != 0 ? made[l] : d[l];
}

// Gathers f(l) into a mask.
template <class F>
u32 gather(F f) {
    u32 bits = 0;
    IIR2D_PTX_LANES bits |= f(l) ? bit_of_lane[l] : 0U;
    return bits;
}

// Stores a mask's bits in a predicate, in the lanes of another.
inline void store_mask(Word* frame, u32 place, u32 mask, u32 bits) {
    frame[place] = (frame[place] & ~mask) | (bits & mask);
}

template <class T, class Op>
void unary(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    store<T>(frame, i.d, mask, [=](int l) { return Op::template run<T>(a[l]); });
}

template <class T, class Op>
void binary(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    store<T>(frame, i.d, mask, [=](int l) { return Op::template run<T>(a[l], b[l]); });
}

template <class T, class Op>
void ternary(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<T> c(frame, i.c);
    store<T>(frame, i.d, mask, [=](int l) { return Op::template run<T>(a[l], b[l], c[l]); });
}

}  // namespace

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
