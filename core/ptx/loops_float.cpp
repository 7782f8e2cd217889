// SPDX-License-Identifier: MIT
// Floating point of 32 and 64 bits. The rounding mode is the processor's, which the executor sets; a NaN of
// 32 bits that is made is 0x7fffffff, as PTX has it, and one of 64 bits keeps what the processor makes.
#include <math.h>  // NOLINT(modernize-deprecated-headers): functions of C, none of the library's templates

#include "core/ptx/loops-inl.h"

namespace workbench::ptx::IIR2D_PTX_TARGET {

namespace {

constexpr u32 quiet_nan_bits = 0x7fffffffU;

float made(float value) {
    return value == value ? value : __builtin_bit_cast(float, quiet_nan_bits);
}
double made(double value) {
    return value;
}

// Flushes a subnormal to a zero of its sign.
float flushed(float value) {
    const u32 bits = __builtin_bit_cast(u32, value);
    return (bits & 0x7f800000U) == 0 ? __builtin_bit_cast(float, bits & 0x80000000U) : value;
}

// To [0, 1]; NaN and -0 become +0.
template <class T>
T saturated(T value) {
    return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

template <bool Ftz, bool Sat, class T>
T taken(T value) {
    if constexpr (Ftz && sizeof(T) == 4)
        return flushed(value);
    else
        return value;
}
template <bool Ftz, bool Sat, class T>
T given(T value) {
    // Flushed first: what is below the normal numbers is a zero to .sat too.
    if constexpr (Sat) return saturated(taken<Ftz, Sat>(value));
    return made(taken<Ftz, Sat>(value));
}

float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
float root(float a) {
    return __builtin_sqrtf(a);
}
double root(double a) {
    return __builtin_sqrt(a);
}

struct Add {
    template <class T>
    static T run(T a, T b) {
        return a + b;
    }
};
struct Sub {
    template <class T>
    static T run(T a, T b) {
        return a - b;
    }
};
struct Mul {
    template <class T>
    static T run(T a, T b) {
        return a * b;
    }
};
struct Div {
    template <class T>
    static T run(T a, T b) {
        return a / b;
    }
};
struct Fma {
    template <class T>
    static T run(T a, T b, T c) {
        return fused(a, b, c);
    }
};
struct Rcp {
    template <class T>
    static T run(T a) {
        return T(1) / a;
    }
};
struct Sqrt {
    template <class T>
    static T run(T a) {
        return root(a);
    }
};

// The functions of .approx, by way of a wider type: correctly rounded but for cases that nobody has seen.
struct Rsqrt {
    static float run(float a) { return static_cast<float>(1.0L / sqrtl(static_cast<long double>(a))); }
    static double run(double a) { return static_cast<double>(1.0L / sqrtl(static_cast<long double>(a))); }
};
struct Sin {
    static float run(float a) { return static_cast<float>(sinl(static_cast<long double>(a))); }
};
struct Cos {
    static float run(float a) { return static_cast<float>(cosl(static_cast<long double>(a))); }
};
struct Lg2 {
    static float run(float a) { return static_cast<float>(log2l(static_cast<long double>(a))); }
};
struct Ex2 {
    static float run(float a) { return static_cast<float>(exp2l(static_cast<long double>(a))); }
};
struct Tanh {
    static float run(float a) { return static_cast<float>(tanhl(static_cast<long double>(a))); }
};

template <class T, class Op, bool Ftz, bool Sat>
void unary_float(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    store<T>(frame, i.d, mask,
             [=](int l) { return given<Ftz, Sat>(Op::template run<T>(taken<Ftz, Sat>(a[l]))); });
}
template <class T, class Op, bool Ftz, bool Sat>
void binary_float(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    store<T>(frame, i.d, mask, [=](int l) {
        return given<Ftz, Sat>(Op::template run<T>(taken<Ftz, Sat>(a[l]), taken<Ftz, Sat>(b[l])));
    });
}
template <class T, class Op, bool Ftz, bool Sat>
void ternary_float(Word* frame, const Instruction& i, u32 mask) {
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    const In<T> c(frame, i.c);
    store<T>(frame, i.d, mask, [=](int l) {
        return given<Ftz, Sat>(
            Op::template run<T>(taken<Ftz, Sat>(a[l]), taken<Ftz, Sat>(b[l]), taken<Ftz, Sat>(c[l])));
    });
}
// Only the lanes of the mask are computed: each of these is a call of the C library.
template <class Op>
void approximate(Word* frame, const Instruction& i, u32 mask) {
    const bool ftz = (i.flags & flag_ftz) != 0;
    const In<float> a(frame, i.a);
    for (int l = 0; l < lanes; ++l) {
        if ((mask & bit_of_lane[l]) == 0) continue;
        const float in = ftz ? flushed(a[l]) : a[l];
        const float out = made(Op::run(in));
        frame[i.d + static_cast<u32>(l)] = __builtin_bit_cast(u32, ftz ? flushed(out) : out);
    }
}
void rsqrt_double(Word* frame, const Instruction& i, u32 mask) {
    const In<double> a(frame, i.a);
    store<double>(frame, i.d, mask, [=](int l) { return Rsqrt::run(a[l]); });
}

// rcp and rsqrt .approx.ftz.f64: of the upper half of a number, rounded to 20 bits of mantissa, the lower
// half zero.
template <bool Root>
void gross(Word* frame, const Instruction& i, u32 mask) {
    const In<u64> a(frame, i.a);
    store<u64>(frame, i.d, mask, [=](int l) -> u64 {
        u64 upper = a[l] & 0xffffffff00000000ULL;
        if ((upper & 0x7ff0000000000000ULL) == 0) upper &= 0x8000000000000000ULL;
        const double in = __builtin_bit_cast(double, upper);
        const double exact = 1.0 / (Root ? __builtin_sqrt(in) : in);
        const u64 bits = __builtin_bit_cast(u64, exact);
        if (exact != exact) return 0x7fffffff00000000ULL;
        if ((bits & 0x7ff0000000000000ULL) == 0x7ff0000000000000ULL) return bits;
        if ((bits & 0x7ff0000000000000ULL) == 0) return bits & 0x8000000000000000ULL;
        return (bits + 0x7fffffffULL + ((bits >> 32U) & 1U)) & 0xffffffff00000000ULL;
    });
}

template <class T>
T lesser(T a, T b, bool nan_wins) {
    if (a != a || b != b) {
        if (nan_wins || (a != a && b != b)) return made(static_cast<T>(__builtin_nanf("")));
        return a != a ? b : a;
    }
    if (a == b) return __builtin_signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T>
T greater(T a, T b, bool nan_wins) {
    if (a != a || b != b) {
        if (nan_wins || (a != a && b != b)) return made(static_cast<T>(__builtin_nanf("")));
        return a != a ? b : a;
    }
    if (a == b) return __builtin_signbit(a) ? b : a;
    return a < b ? b : a;
}
template <class T, bool Greatest>
void extreme(Word* frame, const Instruction& i, u32 mask) {
    const bool ftz = (i.flags & flag_ftz) != 0;
    const bool nan_wins = (i.flags & flag_nan) != 0;
    const In<T> a(frame, i.a);
    const In<T> b(frame, i.b);
    store<T>(frame, i.d, mask, [=](int l) {
        T x = a[l];
        T y = b[l];
        if constexpr (sizeof(T) == 4) {
            x = ftz ? flushed(x) : x;
            y = ftz ? flushed(y) : y;
        }
        return Greatest ? greater(x, y, nan_wins) : lesser(x, y, nan_wins);
    });
}

template <class T, bool Negate>
void change_sign(Word* frame, const Instruction& i, u32 mask) {
    constexpr Bits<T> sign = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));
    [[maybe_unused]] const bool ftz = (i.flags & flag_ftz) != 0;
    const In<Bits<T>> a(frame, i.a);
    store<Bits<T>>(frame, i.d, mask, [=](int l) {
        Bits<T> bits = a[l];
        if constexpr (sizeof(T) == 4) bits = ftz && (bits & 0x7f800000U) == 0 ? bits & sign : bits;
        return static_cast<Bits<T>>(Negate ? bits ^ sign : bits & ~sign);
    });
}
// copysign d, a, b: the sign of a on b.
template <class U>
void copy_sign(Word* frame, const Instruction& i, u32 mask) {
    constexpr U sign = U{1} << (8 * sizeof(U) - 1);
    const In<U> a(frame, i.a);
    const In<U> b(frame, i.b);
    store<U>(frame, i.d, mask, [=](int l) { return (a[l] & sign) | (b[l] & ~sign); });
}
template <class T>
void test_property(Word* frame, const Instruction& i, u32 mask) {
    using U = Bits<T>;
    constexpr U fraction = (U{1} << (sizeof(T) == 4 ? 23U : 52U)) - 1;
    constexpr U magnitude = ~U{0} >> 1U;
    constexpr U infinity = magnitude & ~fraction;
    const In<U> a(frame, i.a);
    const auto property = static_cast<Property>(i.op);
    store_mask(frame, i.d, mask, gather([=](int l) {
                   const U bits = a[l] & magnitude;
                   switch (property) {
                       case Property::finite:
                           return bits < infinity;
                       case Property::infinite:
                           return bits == infinity;
                       case Property::number:
                           return bits <= infinity;
                       case Property::notanumber:
                           return bits > infinity;
                       case Property::normal:
                           return bits > fraction && bits < infinity;
                       case Property::subnormal:
                           return bits != 0 && bits <= fraction;
                   }
                   return false;
               }));
}

template <class T, bool Ftz, bool Sat>
LaneFunction find_arithmetic(Loop loop) {
    switch (loop) {
        case Loop::add:
            return binary_float<T, Add, Ftz, Sat>;
        case Loop::sub:
            return binary_float<T, Sub, Ftz, Sat>;
        case Loop::mul_lo:
            return binary_float<T, Mul, Ftz, Sat>;
        case Loop::div:
        case Loop::div_approx:
            return binary_float<T, Div, Ftz, Sat>;
        case Loop::fma:
            return ternary_float<T, Fma, Ftz, Sat>;
        case Loop::rcp:
        case Loop::rcp_approx:
            return unary_float<T, Rcp, Ftz, Sat>;
        case Loop::sqrt:
        case Loop::sqrt_approx:
            return unary_float<T, Sqrt, Ftz, Sat>;
        default:
            return nullptr;
    }
}

template <class T>
LaneFunction find_common(const LoopKey& key) {
    switch (key.loop) {
        case Loop::min:
            return extreme<T, false>;
        case Loop::max:
            return extreme<T, true>;
        case Loop::neg:
            return change_sign<T, true>;
        case Loop::abs:
            return change_sign<T, false>;
        case Loop::copysign:
            return copy_sign<Bits<T>>;
        case Loop::testp:
            return test_property<T>;
        default:
            return nullptr;
    }
}

LaneFunction find_approximate(Loop loop) {
    switch (loop) {
        case Loop::rsqrt_approx:
            return approximate<Rsqrt>;
        case Loop::sin_approx:
            return approximate<Sin>;
        case Loop::cos_approx:
            return approximate<Cos>;
        case Loop::lg2_approx:
            return approximate<Lg2>;
        case Loop::ex2_approx:
            return approximate<Ex2>;
        case Loop::tanh_approx:
            return approximate<Tanh>;
        default:
            return nullptr;
    }
}

}  // namespace

LaneFunction find_float_loop(const LoopKey& key) {
    if (key.type == Type::f64) {
        if (key.loop == Loop::rcp_gross) return gross<false>;
        if (key.loop == Loop::rsqrt_gross) return gross<true>;
        if (key.loop == Loop::rsqrt_approx) return rsqrt_double;
        if (const LaneFunction found = find_common<double>(key)) return found;
        return find_arithmetic<double, false, false>(key.loop);
    }
    if (key.type != Type::f32) return nullptr;
    if (const LaneFunction found = find_common<float>(key)) return found;
    if (const LaneFunction found = find_approximate(key.loop)) return found;
    const bool ftz = (key.flags & flag_ftz) != 0;
    if ((key.flags & flag_saturate) != 0)
        return ftz ? find_arithmetic<float, true, true>(key.loop)
                   : find_arithmetic<float, false, true>(key.loop);
    return ftz ? find_arithmetic<float, true, false>(key.loop)
               : find_arithmetic<float, false, false>(key.loop);
}

}  // namespace workbench::ptx::IIR2D_PTX_TARGET
