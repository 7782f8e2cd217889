// SPDX-License-Identifier: MIT
// Integer arithmetic.
#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

template <class T>
constexpr bool signed_type = is_negative_type(T{});

struct Add {
    template <class T>
    static T run(T a, T b) {
        return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
    }
};
struct Sub {
    template <class T>
    static T run(T a, T b) {
        return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
    }
};
struct MulLo {
    template <class T>
    static T run(T a, T b) {
        return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
    }
};
struct MulHi {
    template <class T>
    static T run(T a, T b) {
        if constexpr (sizeof(T) == 8) {
#if defined(__SIZEOF_INT128__)
            __extension__ using Signed = __int128;
            __extension__ using Unsigned = unsigned __int128;
            if constexpr (signed_type<T>)
                return static_cast<T>((static_cast<Signed>(a) * b) >> 64U);
            else
                return static_cast<T>((static_cast<Unsigned>(a) * b) >> 64U);
#else
            const u64 x = static_cast<u64>(a);
            const u64 y = static_cast<u64>(b);
            const u64 xl = x & 0xffffffffU, xh = x >> 32U, yl = y & 0xffffffffU, yh = y >> 32U;
            const u64 middle = xh * yl + ((xl * yl) >> 32U);
            u64 high = xh * yh + (middle >> 32U) + (((middle & 0xffffffffU) + xl * yh) >> 32U);
            if constexpr (signed_type<T>) high -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
            return static_cast<T>(high);
#endif
        } else {
            return static_cast<T>((static_cast<i64>(a) * static_cast<i64>(b)) >> (8 * sizeof(T)));
        }
    }
};
template <>
u32 MulHi::run<u32>(u32 a, u32 b) {
    return static_cast<u32>((static_cast<u64>(a) * b) >> 32U);
}
template <class Product>
struct Mad {
    template <class T>
    static T run(T a, T b, T c) {
        return Add::run<T>(Product::template run<T>(a, b), c);
    }
};
struct Div {
    template <class T>
    static T run(T a, T b) {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (signed_type<T>) {
            if (b == static_cast<T>(-1)) return Sub::run<T>(T{0}, a);
        }
        return static_cast<T>(a / b);
    }
};
struct Rem {
    template <class T>
    static T run(T a, T b) {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (signed_type<T>) {
            if (b == static_cast<T>(-1)) return T{0};
        }
        return static_cast<T>(a % b);
    }
};
struct Min {
    template <class T>
    static T run(T a, T b) {
        return b < a ? b : a;
    }
};
struct Max {
    template <class T>
    static T run(T a, T b) {
        return a < b ? b : a;
    }
};
struct Abs {
    template <class T>
    static T run(T a) {
        return a < 0 ? Sub::run<T>(T{0}, a) : a;
    }
};
struct Neg {
    template <class T>
    static T run(T a) {
        return Sub::run<T>(T{0}, a);
    }
};
struct Sad {
    template <class T>
    static T run(T a, T b, T c) {
        return Add::run<T>(c, a < b ? Sub::run<T>(b, a) : Sub::run<T>(a, b));
    }
};

i32 saturated(i64 value) {
    return static_cast<i32>(value > 0x7fffffff ? 0x7fffffff : value < -0x80000000LL ? -0x80000000LL : value);
}
struct AddSat {
    template <class T>
    static T run(T a, T b) {
        return saturated(static_cast<i64>(a) + b);
    }
};
struct SubSat {
    template <class T>
    static T run(T a, T b) {
        return saturated(static_cast<i64>(a) - b);
    }
};
struct MadHiSat {
    template <class T>
    static T run(T a, T b, T c) {
        return saturated(((static_cast<i64>(a) * b) >> 32U) + c);
    }
};

template <class T, class W>
void mul_wide(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    store<W>(frame, i.d, mask,
             [=](int l) { return static_cast<W>(static_cast<W>(a[l]) * static_cast<W>(b[l])); });
}
template <class T, class W>
void mad_wide(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<W> c(frame, i.c);
    store<W>(frame, i.d, mask, [=](int l) {
        return Add::run<W>(static_cast<W>(static_cast<W>(a[l]) * static_cast<W>(b[l])), c[l]);
    });
}

// The sum of two numbers and a carry, and the carry out of it.
template <class U>
struct Sum {
    U value;
    bool carry;
};
template <class U>
Sum<U> sum_of(U a, U b, U carry_in) {
    const U first = static_cast<U>(a + b);
    const U all = static_cast<U>(first + carry_in);
    return {all, first < a || all < first};
}

// add, sub and mad that read or write the carry flag, which is the predicate at d2. A subtraction adds the
// complement; its flag is a borrow.
template <class T, class Product, bool Subtract, bool Reads, bool Writes>
void carrying(Word* frame, const Instruction& i, u32 mask) {
    using U = Bits<T>;
    constexpr bool is_mad = requires {
        Product::template run<T>(T{}, T{});
    };
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<T> c(frame, is_mad ? i.c : i.a);
    const u32 flag = frame[i.d2];
    const auto one = [=](int l) {
        U left = static_cast<U>(a[l]);
        U right = static_cast<U>(b[l]);
        if constexpr (is_mad) {
            left = static_cast<U>(Product::template run<T>(a[l], b[l]));
            right = static_cast<U>(c[l]);
        }
        U in = Reads && (flag & bit_of_lane[l]) != 0 ? U{1} : U{0};
        if constexpr (Subtract) {
            right = static_cast<U>(~right);
            in = static_cast<U>(in ^ 1U);
        }
        return sum_of<U>(left, right, in);
    };
    // The flag first: the destination may be a source.
    const u32 carries = Writes ? gather([=](int l) { return one(l).carry != Subtract; }) : 0;
    store<T>(frame, i.d, mask, [=](int l) { return static_cast<T>(one(l).value); });
    if constexpr (Writes) store_mask(frame, i.d2, mask, carries);
}
struct NoProduct {};

template <class T>
LaneFunction find_carrying(Loop loop) {
    switch (loop) {
        case Loop::add_cc:
            return carrying<T, NoProduct, false, false, true>;
        case Loop::addc:
            return carrying<T, NoProduct, false, true, false>;
        case Loop::addc_cc:
            return carrying<T, NoProduct, false, true, true>;
        case Loop::sub_cc:
            return carrying<T, NoProduct, true, false, true>;
        case Loop::subc:
            return carrying<T, NoProduct, true, true, false>;
        case Loop::subc_cc:
            return carrying<T, NoProduct, true, true, true>;
        case Loop::mad_lo_cc:
            return carrying<T, MulLo, false, false, true>;
        case Loop::mad_hi_cc:
            return carrying<T, MulHi, false, false, true>;
        case Loop::madc_lo:
            return carrying<T, MulLo, false, true, false>;
        case Loop::madc_hi:
            return carrying<T, MulHi, false, true, false>;
        case Loop::madc_lo_cc:
            return carrying<T, MulLo, false, true, true>;
        case Loop::madc_hi_cc:
            return carrying<T, MulHi, false, true, true>;
        default:
            return nullptr;
    }
}

template <class T>
LaneFunction find(Loop loop) {
    switch (loop) {
        case Loop::add:
            return binary<T, Add>;
        case Loop::sub:
            return binary<T, Sub>;
        case Loop::mul_lo:
            return binary<T, MulLo>;
        case Loop::mul_hi:
            return binary<T, MulHi>;
        case Loop::mad_lo:
            return ternary<T, Mad<MulLo>>;
        case Loop::mad_hi:
            return ternary<T, Mad<MulHi>>;
        case Loop::div:
            return binary<T, Div>;
        case Loop::rem:
            return binary<T, Rem>;
        case Loop::min:
            return binary<T, Min>;
        case Loop::max:
            return binary<T, Max>;
        case Loop::sad:
            return ternary<T, Sad>;
        default:
            break;
    }
    if constexpr (signed_type<T>) {
        if (loop == Loop::abs) return unary<T, Abs>;
        if (loop == Loop::neg) return unary<T, Neg>;
    }
    if constexpr (sizeof(T) >= 4) {
        return find_carrying<T>(loop);
    }
    return nullptr;
}

}  // namespace

LaneFunction find_integer_loop(const LoopKey& key) {
    if (key.type == Type::s32) {
        if (key.loop == Loop::add_sat) return binary<i32, AddSat>;
        if (key.loop == Loop::sub_sat) return binary<i32, SubSat>;
        if (key.loop == Loop::mad_hi_sat) return ternary<i32, MadHiSat>;
    }
    switch (key.type) {
        case Type::u16:
            if (key.loop == Loop::mul_wide) return mul_wide<u16, u32>;
            if (key.loop == Loop::mad_wide) return mad_wide<u16, u32>;
            return find<u16>(key.loop);
        case Type::s16:
            if (key.loop == Loop::mul_wide) return mul_wide<i16, i32>;
            if (key.loop == Loop::mad_wide) return mad_wide<i16, i32>;
            return find<i16>(key.loop);
        case Type::u32:
            if (key.loop == Loop::mul_wide) return mul_wide<u32, u64>;
            if (key.loop == Loop::mad_wide) return mad_wide<u32, u64>;
            return find<u32>(key.loop);
        case Type::s32:
            if (key.loop == Loop::mul_wide) return mul_wide<i32, i64>;
            if (key.loop == Loop::mad_wide) return mad_wide<i32, i64>;
            return find<i32>(key.loop);
        case Type::u64:
            return find<u64>(key.loop);
        case Type::s64:
            return find<i64>(key.loop);
        default:
            return nullptr;
    }
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
