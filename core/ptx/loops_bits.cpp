// SPDX-License-Identifier: MIT
// Bits: logic, shifts, fields, counts, permutations, dot products of small integers.
#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

struct And {
    template <class T>
    static T run(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct Or {
    template <class T>
    static T run(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct Xor {
    template <class T>
    static T run(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct Not {
    template <class T>
    static T run(T a) {
        return static_cast<T>(~a);
    }
};
struct Cnot {
    template <class T>
    static T run(T a) {
        return static_cast<T>(a == 0 ? 1 : 0);
    }
};

template <class Op>
void of_masks(Word* frame, const Instruction& i, u32 mask) {
    store_mask(frame, i.d, mask, Op::template run<u32>(frame[i.a], frame[i.b]));
}
void not_mask(Word* frame, const Instruction& i, u32 mask) {
    store_mask(frame, i.d, mask, ~frame[i.a]);
}
void mov_mask(Word* frame, const Instruction& i, u32 mask) {
    store_mask(frame, i.d, mask, frame[i.a]);
}

// Shifts clamp their distance, which is 32 bits wide whatever the type.
template <class T>
void shl(Word* frame, const Instruction& i, u32 mask) {
    constexpr u32 width = 8 * sizeof(T);
    const In<T> a(frame, i.a);
    const In<u32> b(frame, i.b);
    store<T>(frame, i.d, mask, [=](int l) {
        const u32 by = b[l];
        return by >= width ? T{0} : static_cast<T>(static_cast<Modular<T>>(a[l]) << (by & (width - 1)));
    });
}
template <class T>
void shr(Word* frame, const Instruction& i, u32 mask) {
    constexpr u32 width = 8 * sizeof(T);
    constexpr bool arithmetic = is_negative_type(T{});
    const In<T> a(frame, i.a);
    const In<u32> b(frame, i.b);
    store<T>(frame, i.d, mask, [=](int l) {
        const u32 by = b[l];
        if constexpr (arithmetic) {
            return static_cast<T>(a[l] >> (by >= width ? width - 1 : by));
        } else {
            return by >= width ? T{0} : static_cast<T>(a[l] >> (by & (width - 1)));
        }
    });
}
template <bool Left, bool Wraps>
void funnel(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    const In<u32> b(frame, i.b);
    const In<u32> c(frame, i.c);
    store<u32>(frame, i.d, mask, [=](int l) {
        const u32 by = Wraps ? c[l] & 31U : (c[l] < 32 ? c[l] : 32);
        const u64 both = (static_cast<u64>(b[l]) << 32U) | a[l];
        return static_cast<u32>(Left ? (both << by) >> 32U : both >> by);
    });
}

int leading_zeros(u32 a) {
    return a == 0 ? 32 : __builtin_clz(a);
}
int leading_zeros(u64 a) {
    return a == 0 ? 64 : __builtin_clzll(a);
}

template <class T>
void popc(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    store<u32>(frame, i.d, mask, [=](int l) { return static_cast<u32>(__builtin_popcountll(a[l])); });
}
template <class T>
void clz(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    store<u32>(frame, i.d, mask, [=](int l) { return static_cast<u32>(leading_zeros(a[l])); });
}
// The place of the highest bit that is not the sign's; 0xffffffff where there is none.
template <class T>
void bfind(Word* frame, const Instruction& i, u32 mask) {
    using U = Bits<T>;
    constexpr int top = 8 * sizeof(T) - 1;
    const bool distance = (i.flags & flag_weak_shift) != 0;
    const In<T> a(frame, i.a);
    store<u32>(frame, i.d, mask, [=](int l) {
        const T value = a[l];
        const U bits = static_cast<U>(value < 0 ? ~value : value);
        if (bits == 0) return 0xffffffffU;
        const int zeros = leading_zeros(bits);
        return static_cast<u32>(distance ? zeros : top - zeros);
    });
}
struct Brev {
    template <class T>
    static T run(T a) {
        T made = 0;
        for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
            made |= ((a >> bit) & T{1}) << (8 * sizeof(T) - 1 - bit);
        return made;
    }
};
template <class T>
void bfe(Word* frame, const Instruction& i, u32 mask) {
    using U = Bits<T>;
    constexpr u32 width = 8 * sizeof(T);
    constexpr bool extends = is_negative_type(T{});
    const In<U> a(frame, i.a);
    const In<u32> b(frame, i.b);
    const In<u32> c(frame, i.c);
    store<U>(frame, i.d, mask, [=](int l) -> U {
        const u32 at = b[l] & 0xffU;
        const u32 length = c[l] & 0xffU;
        if (length == 0) return 0;
        const u32 last = at + length - 1 < width - 1 ? at + length - 1 : width - 1;
        const U fill = extends && ((a[l] >> last) & 1U) != 0 ? static_cast<U>(~U{0}) : U{0};
        if (at >= width) return fill;
        const U field = a[l] >> at;
        if (length >= width) return extends && at > 0 ? field | (fill << (width - at)) : field;
        const U low = (U{1} << length) - 1;
        // Bits beyond the register are copies of the sign.
        const U beyond = at + length > width ? fill << (width - at) : U{0};
        return ((field | beyond) & low) | (fill & ~low);
    });
}
template <class T>
void bfi(Word* frame, const Instruction& i, u32 mask) {
    constexpr u32 width = 8 * sizeof(T);
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<u32> c(frame, i.c);
    const In<u32> e(frame, i.e);
    store<T>(frame, i.d, mask, [=](int l) -> T {
        const u32 at = c[l] & 0xffU;
        const u32 length = e[l] & 0xffU;
        if (at >= width || length == 0) return b[l];
        const T low = length >= width ? ~T{0} : (T{1} << length) - 1;
        return (b[l] & ~(low << at)) | ((a[l] & low) << at);
    });
}

u32 permuted(u32 a, u32 b, u32 selection, PermuteMode mode) {
    const u64 bytes = (static_cast<u64>(b) << 32U) | a;
    const auto pick = [=](u32 index) { return static_cast<u32>(bytes >> (8 * (index & 7U))) & 0xffU; };
    u32 made = 0;
    const u32 s = selection & 3U;
    for (u32 k = 0; k < 4; ++k) {
        u32 byte = 0;
        switch (mode) {
            case PermuteMode::index: {
                const u32 control = (selection >> (4 * k)) & 0xfU;
                byte = pick(control);
                if ((control & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0;
                break;
            }
            case PermuteMode::f4e:
                byte = pick(s + k);
                break;
            case PermuteMode::b4e:
                byte = pick(s + 8 - k);
                break;
            case PermuteMode::rc8:
                byte = pick(s);
                break;
            case PermuteMode::ecl:
                byte = pick(k > s ? k : s);
                break;
            case PermuteMode::ecr:
                byte = pick(k < s ? k : s);
                break;
            case PermuteMode::rc16:
                byte = pick(2 * (s & 1U) + (k & 1U));
                break;
        }
        made |= byte << (8 * k);
    }
    return made;
}
void prmt(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    const In<u32> b(frame, i.b);
    const In<u32> c(frame, i.c);
    const auto mode = static_cast<PermuteMode>(i.op);
    store<u32>(frame, i.d, mask, [=](int l) { return permuted(a[l], b[l], c[l], mode); });
}
void lop3(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    const In<u32> b(frame, i.b);
    const In<u32> c(frame, i.c);
    u32 terms[8];
    for (u32 k = 0; k < 8; ++k) terms[k] = ((static_cast<u64>(i.immediate) >> k) & 1U) != 0 ? 0xffffffffU : 0;
    store<u32>(frame, i.d, mask, [=](int l) {
        const u32 x = a[l], y = b[l], z = c[l];
        return (terms[0] & ~x & ~y & ~z) | (terms[1] & ~x & ~y & z) | (terms[2] & ~x & y & ~z) |
               (terms[3] & ~x & y & z) | (terms[4] & x & ~y & ~z) | (terms[5] & x & ~y & z) |
               (terms[6] & x & y & ~z) | (terms[7] & x & y & z);
    });
}

template <class T>
i32 part(u32 bits, int index) {
    return static_cast<i32>(static_cast<T>(bits >> (8 * sizeof(T) * static_cast<unsigned>(index))));
}
template <class A, class B>
void dp4a(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    const In<u32> b(frame, i.b);
    const In<u32> c(frame, i.c);
    store<u32>(frame, i.d, mask, [=](int l) {
        u32 sum = c[l];
        for (int k = 0; k < 4; ++k) sum += static_cast<u32>(part<A>(a[l], k) * part<B>(b[l], k));
        return sum;
    });
}
template <class A, class B, bool High>
void dp2a(Word* frame, const Instruction& i, u32 mask) {
    const In<u32> a(frame, i.a);
    const In<u32> b(frame, i.b);
    const In<u32> c(frame, i.c);
    store<u32>(frame, i.d, mask, [=](int l) {
        u32 sum = c[l];
        for (int k = 0; k < 2; ++k)
            sum += static_cast<u32>(part<A>(a[l], k)) * static_cast<u32>(part<B>(b[l], k + (High ? 2 : 0)));
        return sum;
    });
}
template <class A2, class A4, class B>
LaneFunction find_dot_of(Loop loop) {
    if (loop == Loop::dp4a) return dp4a<A4, B>;
    if (loop == Loop::dp2a_lo) return dp2a<A2, B, false>;
    if (loop == Loop::dp2a_hi) return dp2a<A2, B, true>;
    return nullptr;
}

template <class T>
LaneFunction find_logic(Loop loop) {
    switch (loop) {
        case Loop::bit_and:
            return binary<T, And>;
        case Loop::bit_or:
            return binary<T, Or>;
        case Loop::bit_xor:
            return binary<T, Xor>;
        case Loop::bit_not:
            return unary<T, Not>;
        case Loop::cnot:
            return unary<T, Cnot>;
        case Loop::shl:
            return shl<T>;
        case Loop::shr:
            return shr<T>;
        default:
            break;
    }
    if constexpr (sizeof(T) >= 4) {
        if (loop == Loop::popc) return popc<T>;
        if (loop == Loop::clz) return clz<T>;
        if (loop == Loop::brev) return unary<T, Brev>;
        if (loop == Loop::bfi) return bfi<T>;
    }
    return nullptr;
}

template <class T>
LaneFunction find_typed(Loop loop) {
    if (loop == Loop::shr) return shr<T>;
    if constexpr (sizeof(T) >= 4) {
        if (loop == Loop::bfind) return bfind<T>;
        if (loop == Loop::bfe) return bfe<T>;
    }
    return nullptr;
}

LaneFunction find_of_masks(Loop loop) {
    switch (loop) {
        case Loop::bit_and:
            return of_masks<And>;
        case Loop::bit_or:
            return of_masks<Or>;
        case Loop::bit_xor:
            return of_masks<Xor>;
        case Loop::bit_not:
            return not_mask;
        case Loop::mov:
            return mov_mask;
        default:
            return nullptr;
    }
}

}  // namespace

LaneFunction find_bit_loop(const LoopKey& key) {
    if (key.loop == Loop::dp4a || key.loop == Loop::dp2a_lo || key.loop == Loop::dp2a_hi) {
        const bool first = key.type == Type::s32;
        const bool second = key.type2 == Type::s32;
        if (first) return second ? find_dot_of<i16, i8, i8>(key.loop) : find_dot_of<i16, i8, u8>(key.loop);
        return second ? find_dot_of<u16, u8, i8>(key.loop) : find_dot_of<u16, u8, u8>(key.loop);
    }
    const bool wraps = (key.flags & flag_shift_wraps) != 0;
    if (key.loop == Loop::shf_l) return wraps ? funnel<true, true> : funnel<true, false>;
    if (key.loop == Loop::shf_r) return wraps ? funnel<false, true> : funnel<false, false>;
    if (key.loop == Loop::prmt) return prmt;
    if (key.loop == Loop::lop3) return lop3;
    switch (key.type) {
        case Type::pred:
            return find_of_masks(key.loop);
        case Type::b16:
            return find_logic<u16>(key.loop);
        case Type::b32:
            return find_logic<u32>(key.loop);
        case Type::b64:
            return find_logic<u64>(key.loop);
        case Type::u16:
            return find_typed<u16>(key.loop);
        case Type::s16:
            return find_typed<i16>(key.loop);
        case Type::u32:
            return find_typed<u32>(key.loop);
        case Type::s32:
            return find_typed<i32>(key.loop);
        case Type::u64:
            return find_typed<u64>(key.loop);
        case Type::s64:
            return find_typed<i64>(key.loop);
        default:
            return nullptr;
    }
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
