// SPDX-License-Identifier: MIT
// The loops over the lanes of a warp that compute instructions. They are compiled twice from the same
// sources, for the baseline and for AVX2 with FMA; which one runs is chosen once, and both give the same
// bits.
#pragma once

#include <string_view>

#include "core/ptx/code.h"

namespace workbench::ptx {

enum class Loop : std::uint8_t {
    none,
    add,
    sub,
    mul_lo,
    mul_hi,
    mul_wide,
    mad_lo,
    mad_hi,
    mad_wide,
    mad_hi_sat,
    div,
    rem,
    min,
    max,
    abs,
    neg,
    sad,
    add_sat,
    sub_sat,
    add_cc,
    addc,
    addc_cc,
    sub_cc,
    subc,
    subc_cc,
    mad_lo_cc,
    mad_hi_cc,
    madc_lo,
    madc_hi,
    madc_lo_cc,
    madc_hi_cc,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    cnot,
    shl,
    shr,
    shf_l,
    shf_r,
    popc,
    clz,
    bfind,
    brev,
    bfe,
    bfi,
    prmt,
    lop3,
    dp2a_lo,
    dp2a_hi,
    dp4a,
    fma,
    rcp,
    sqrt,
    copysign,
    testp,
    div_approx,
    rcp_approx,
    sqrt_approx,
    rsqrt_approx,
    sin_approx,
    cos_approx,
    lg2_approx,
    ex2_approx,
    tanh_approx,
    rcp_gross,  // f64 .approx.ftz
    rsqrt_gross,
    setp,
    set,
    selp,
    slct,
    mov,
    mov_pack,  // of 2 or 4 parts
    mov_unpack,
    cvt,
    cvt_pair,  // two f32 to f16x2 or bf16x2
};

enum class Comparison : std::uint8_t {
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    lo,
    ls,
    hi,
    hs,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};
enum class Combine : std::uint8_t { none, bit_and, bit_or, bit_xor };
enum class Property : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };
enum class PermuteMode : std::uint8_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };

// Holds the key that a loop is looked up by. Loops read the rest from the instruction as they run.
struct LoopKey {
    Loop loop = Loop::none;
    Type type = Type::none;
    Type type2 = Type::none;  // of the source
    std::uint16_t flags = 0;
    std::uint8_t op = 0;  // a Comparison, Property or PermuteMode
    Rounding rounding = Rounding::nearest;
    std::uint8_t width_d = 4;  // of the destination's register, in bytes
    std::uint8_t width_a = 4;
};

// Returns the loop that computes it; null where there is none.
LaneFunction find_loop(const LoopKey& key);

// Converts the low bits of a register as cvt does, in plain steps: what the loops do where there is no
// quicker way.
std::uint64_t convert(std::uint64_t bits, const Instruction& instruction);

namespace baseline {
LaneFunction find_integer_loop(const LoopKey& key);
LaneFunction find_bit_loop(const LoopKey& key);
LaneFunction find_float_loop(const LoopKey& key);
LaneFunction find_half_loop(const LoopKey& key);
LaneFunction find_move_loop(const LoopKey& key);
LaneFunction find_compare_loop(const LoopKey& key);
LaneFunction find_convert_loop(const LoopKey& key);
}  // namespace baseline

namespace avx2 {
LaneFunction find_integer_loop(const LoopKey& key);
LaneFunction find_bit_loop(const LoopKey& key);
LaneFunction find_float_loop(const LoopKey& key);
LaneFunction find_half_loop(const LoopKey& key);
LaneFunction find_move_loop(const LoopKey& key);
LaneFunction find_compare_loop(const LoopKey& key);
LaneFunction find_convert_loop(const LoopKey& key);
}  // namespace avx2

}  // namespace workbench::ptx
