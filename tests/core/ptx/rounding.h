// SPDX-License-Identifier: MIT
// What IEEE arithmetic gives, worked out with integers and numbers of 113 bits: independent of the
// processor's rounding modes and of the executor's conversions.
#pragma once

#include <cstdint>
#include <cstring>

namespace ptx_test {

__extension__ using Quad = __float128;
__extension__ using Wide128 = unsigned __int128;

enum class Mode { rn, rz, rm, rp };

struct Layout {
    int fraction;
    int exponent;
};
constexpr Layout f16_layout{10, 5}, bf16_layout{7, 8}, f32_layout{23, 8}, f64_layout{52, 11};

inline Wide128 bits_of(Quad value) {
    Wide128 bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Rounds a finite number, to which `rest` is still to be added: a number too small to be seen in it, of which
// only the sign matters. NaN and infinities are the caller's.
inline std::uint64_t rounded(Quad value, int rest, const Layout& to, Mode mode) {
    const Wide128 bits = bits_of(value);
    const bool negative = (bits >> 127U) != 0;
    const std::uint64_t sign = negative ? std::uint64_t{1} << (to.fraction + to.exponent) : 0;
    const int exponent = static_cast<int>((bits >> 112U) & 0x7fff);
    if (exponent == 0) return sign;  // zero: smaller numbers of 113 bits are never made here
    Wide128 significand = (bits & ((Wide128{1} << 112U) - 1)) | (Wide128{1} << 112U);
    // Two more places, of which the last says that something is behind them.
    significand <<= 2U;
    const int outward = negative ? -rest : rest;
    if (outward > 0) significand |= 1U;
    if (outward < 0) significand -= 1U;
    const int bias = (1 << (to.exponent - 1)) - 1;
    const int power = exponent - 16383;
    int cut = 112 + 2 - to.fraction;
    const int least = 1 - bias;
    if (power < least) cut += least - power;
    Wide128 kept = 0;
    bool half = false, below = true;
    if (cut <= 116) {
        kept = significand >> cut;
        const Wide128 behind = significand - (kept << cut);
        const Wide128 middle = Wide128{1} << (cut - 1);
        half = behind >= middle;
        below = behind != (half ? middle : Wide128{0});
    }
    const bool exact = !half && !below;
    bool up = false;
    if (mode == Mode::rn) up = half && (below || (kept & 1U) != 0);
    if (mode == Mode::rp) up = !exact && !negative;
    if (mode == Mode::rm) up = !exact && negative;
    if (up) ++kept;
    auto made = static_cast<std::uint64_t>(kept);
    if (power >= least) made += static_cast<std::uint64_t>(power + bias - 1) << to.fraction;
    const std::uint64_t infinity = ((std::uint64_t{1} << to.exponent) - 1) << to.fraction;
    if (made >= infinity) {
        const bool away =
            mode == Mode::rn || (mode == Mode::rp && !negative) || (mode == Mode::rm && negative);
        made = away ? infinity : infinity - 1;
    }
    return sign | made;
}

inline bool is_nan(std::uint64_t bits, const Layout& layout) {
    const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (layout.fraction + layout.exponent)) - 1);
    return magnitude > (((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction);
}
inline bool is_infinite(std::uint64_t bits, const Layout& layout) {
    const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (layout.fraction + layout.exponent)) - 1);
    return magnitude == (((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction);
}
inline std::uint64_t nan_of(const Layout& layout) {
    return (std::uint64_t{1} << (layout.fraction + layout.exponent)) - 1;
}

// The number of a pattern; an infinity is one of 113 bits.
inline Quad value_of(std::uint64_t bits, const Layout& layout) {
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << layout.fraction) - 1);
    const auto exponent =
        static_cast<int>((bits >> layout.fraction) & ((std::uint64_t{1} << layout.exponent) - 1));
    const bool negative = ((bits >> (layout.fraction + layout.exponent)) & 1U) != 0;
    const int bias = (1 << (layout.exponent - 1)) - 1;
    Quad made = static_cast<Quad>(fraction);
    int power = 1 - bias - layout.fraction;
    if (exponent != 0) {
        made += static_cast<Quad>(std::uint64_t{1} << layout.fraction);
        power = exponent - bias - layout.fraction;
    }
    if (exponent == (1 << layout.exponent) - 1) {
        const Wide128 infinity = Wide128{0x7fff} << 112U;
        std::memcpy(&made, &infinity, sizeof made);
        power = 0;
    }
    // Powers of two, exactly.
    for (; power >= 60; power -= 60) made *= static_cast<Quad>(std::uint64_t{1} << 60U);
    for (; power <= -60; power += 60) made /= static_cast<Quad>(std::uint64_t{1} << 60U);
    if (power > 0) made *= static_cast<Quad>(std::uint64_t{1} << power);
    if (power < 0) made /= static_cast<Quad>(std::uint64_t{1} << -power);
    return negative ? -made : made;
}

struct Sum {
    Quad value;
    int rest;
};
// a + b with the sign of what is lost.
inline Sum exact_sum(Quad a, Quad b) {
    const volatile Quad sum = a + b;
    const volatile Quad part = sum - a;
    const volatile Quad left = sum - part;
    const Quad error = (a - left) + (b - part);
    return {sum, error > 0 ? 1 : error < 0 ? -1 : 0};
}

}  // namespace ptx_test
