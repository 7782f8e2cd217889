// SPDX-License-Identifier: MIT
// Moves, packing, selections.
#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

template <class T>
void mov(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    store<T>(frame, i.d, mask, [=](int l) { return a[l]; });
}
// selp d, a, b, p.
template <class T>
void selp(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const u32 chosen = frame[i.c];
    store<T>(frame, i.d, mask, [=](int l) { return (chosen & bit_of_lane[l]) != 0 ? a[l] : b[l]; });
}
// slct d, a, b, c: a where c >= 0.
template <class T>
void slct_integer(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<i32> c(frame, i.c);
    store<T>(frame, i.d, mask, [=](int l) { return c[l] >= 0 ? a[l] : b[l]; });
}
template <class T>
void slct_float(Word* frame, const Instruction& i, u32 mask) {
    const bool ftz = (i.flags & flag_ftz) != 0;
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<u32> c(frame, i.c);
    store<T>(frame, i.d, mask, [=](int l) {
        const u32 bits = c[l];
        const bool flushes = ftz && (bits & 0x7f800000U) == 0;
        return flushes || __builtin_bit_cast(float, bits) >= 0 ? a[l] : b[l];
    });
}

// mov of {parts} to a register and back. i.d, i.a: the whole; the parts' places are d2, b, c, e in rising
// order, of width_a bytes each. Parts that nobody asks for have no place.
u32 place_of_part(const Instruction& i, int part) {
    switch (part) {
        case 0:
            return i.d2;
        case 1:
            return i.b;
        case 2:
            return i.c;
        default:
            return i.e;
    }
}
u64 read_part(const Word* frame, u32 place, unsigned bytes, u32 l) {
    return bytes == 8 ? reinterpret_cast<const Wide*>(frame + place)[l] : frame[place + l];
}
void write_part(Word* frame, u32 place, unsigned bytes, u32 l, u64 value) {
    if (bytes == 8)
        reinterpret_cast<Wide*>(frame + place)[l] = value;
    else
        frame[place + l] = static_cast<u32>(bytes == 4 ? value : value & ((1U << (8 * bytes)) - 1));
}
void pack(Word* frame, const Instruction& i, u32 mask) {
    const int parts = i.op;
    const unsigned bits = 8 * i.width_a;
    for (u32 l = 0; l < lanes; ++l) {
        if ((mask & bit_of_lane[l]) == 0) continue;
        u64 value = 0;
        for (int part = 0; part < parts; ++part) {
            const u64 low = read_part(frame, place_of_part(i, part), i.width_a, l);
            value |= (bits == 64 ? low : low & ((u64{1} << bits) - 1))
                     << (bits * static_cast<unsigned>(part));
        }
        write_part(frame, i.d, i.width_d, l, value);
    }
}
void unpack(Word* frame, const Instruction& i, u32 mask) {
    const int parts = i.op;
    const unsigned bits = 8 * i.width_a;
    for (u32 l = 0; l < lanes; ++l) {
        if ((mask & bit_of_lane[l]) == 0) continue;
        const u64 value = read_part(frame, i.a, i.width_d, l);
        for (int part = 0; part < parts; ++part) {
            const u32 place = place_of_part(i, part);
            if (place != no_operand)
                write_part(frame, place, i.width_a, l, value >> (bits * static_cast<unsigned>(part)));
        }
    }
}
// The usual ones: a pair of 32 bits and 64.
void pack_words(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> low(frame, i.d2);
    const In<u32> high(frame, i.b);
    store<u64>(frame, i.d, mask, [=](int l) { return (static_cast<u64>(high[l]) << 32U) | low[l]; });
}
void unpack_words(Word* frame, const Instruction& i, u32 mask) {
    alignas(64) u64 kept[lanes];  // a part may lie in nothing of the whole, but be written before it is read
    const In<u64> a(frame, i.a);
    IIR2D_PTX_LANES kept[l] = a[l];
    const u64* const from = kept;
    if (i.d2 != no_operand) store<u32>(frame, i.d2, mask, [=](int l) { return static_cast<u32>(from[l]); });
    if (i.b != no_operand)
        store<u32>(frame, i.b, mask, [=](int l) { return static_cast<u32>(from[l] >> 32U); });
}

template <class T>
LaneFunction find(const LoopKey& key) {
    switch (key.loop) {
        case Loop::mov:
            return mov<T>;
        case Loop::selp:
            return selp<T>;
        case Loop::slct:
            return key.type2 == Type::f32 ? slct_float<T> : slct_integer<T>;
        default:
            return nullptr;
    }
}

}  // namespace

LaneFunction find_move_loop(const LoopKey& key) {
    const bool words = key.op == 2 && key.width_a == 4;
    if (key.loop == Loop::mov_pack) return words ? pack_words : pack;
    if (key.loop == Loop::mov_unpack) return words ? unpack_words : unpack;
    switch (bytes_of(key.type)) {
        case 1:
        case 2:
            return find<u16>(key);
        case 4:
            return find<u32>(key);
        case 8:
            return find<u64>(key);
        default:
            return nullptr;
    }
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
