// SPDX-License-Identifier: MIT
#include "core/synth/lanes.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace workbench::synth {

namespace {

// NaN loses, and -0 is below +0.
template <class T>
T smaller(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a) return b;
        if (b != b) return a;
        if (a == b) return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
}
template <class T>
T larger(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a) return b;
        if (b != b) return a;
        if (a == b) return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
}

template <class T>
void for_all(T* made, auto compute) {
    for (std::size_t k = 0; k < lanes; ++k) made[k] = compute(k);
}

template <class T>
bool common(Op op, const T* a, const T* b, T* made) {
    switch (op) {
        case Op::min:
            for_all(made, [&](std::size_t k) { return smaller(a[k], b[k]); });
            return true;
        case Op::max:
            for_all(made, [&](std::size_t k) { return larger(a[k], b[k]); });
            return true;
        default:
            return false;
    }
}

template <class T>
void integers(Op op, const T* a, const T* b, T* made, const std::uint32_t* shift) {
    using U = std::make_unsigned_t<T>;
    const auto u = [](T v) { return static_cast<U>(v); };
    const auto t = [](U v) { return static_cast<T>(v); };
    switch (op) {
        case Op::neg:
            return for_all(made, [&](std::size_t k) { return t(static_cast<U>(0) - u(a[k])); });
        case Op::bit_not:
            return for_all(made, [&](std::size_t k) { return static_cast<T>(~a[k]); });
        case Op::add:
            return for_all(made, [&](std::size_t k) { return t(u(a[k]) + u(b[k])); });
        case Op::sub:
            return for_all(made, [&](std::size_t k) { return t(u(a[k]) - u(b[k])); });
        case Op::mul:
            return for_all(made, [&](std::size_t k) { return t(u(a[k]) * u(b[k])); });
        // Lanes that are not asked may have any divisor.
        case Op::div:
            return for_all(made, [&](std::size_t k) {
                return b[k] == 0                                              ? T{0}
                       : u(b[k]) == static_cast<U>(-1) && std::is_signed_v<T> ? t(U{0} - u(a[k]))
                                                                              : static_cast<T>(a[k] / b[k]);
            });
        case Op::rem:
            return for_all(made, [&](std::size_t k) {
                return b[k] == 0 || (u(b[k]) == static_cast<U>(-1) && std::is_signed_v<T>)
                           ? T{0}
                           : static_cast<T>(a[k] % b[k]);
            });
        case Op::bit_and:
            return for_all(made, [&](std::size_t k) { return static_cast<T>(a[k] & b[k]); });
        case Op::bit_or:
            return for_all(made, [&](std::size_t k) { return static_cast<T>(a[k] | b[k]); });
        case Op::bit_xor:
            return for_all(made, [&](std::size_t k) { return static_cast<T>(a[k] ^ b[k]); });
        case Op::shl:
            return for_all(made, [&](std::size_t k) {
                return t(static_cast<U>(u(a[k]) << (shift[k] & (sizeof(T) * 8 - 1))));
            });
        case Op::shr:
            return for_all(made, [&](std::size_t k) {
                return static_cast<T>(a[k] >> (shift[k] & (sizeof(T) * 8 - 1)));
            });
        default:
            common(op, a, b, made);
    }
}

// glibc's functions of the type: those that a host compiler's code calls.
template <class T>
T function(Op op, T x, T y, T z) {
    switch (op) {
        case Op::fma:
            return std::fma(x, y, z);
        case Op::sin:
            return std::sin(x);
        case Op::cos:
            return std::cos(x);
        case Op::tan:
            return std::tan(x);
        case Op::exp:
            return std::exp(x);
        case Op::exp2:
            return std::exp2(x);
        case Op::log:
            return std::log(x);
        case Op::log2:
            return std::log2(x);
        case Op::log1p:
            return std::log1p(x);
        case Op::tanh:
            return std::tanh(x);
        case Op::cbrt:
            return std::cbrt(x);
        case Op::pow:
            return std::pow(x, y);
        case Op::atan2:
            return std::atan2(x, y);
        case Op::erf:
            return std::erf(x);
        case Op::hypot:
            return std::hypot(x, y);
        case Op::fmod:
            return std::fmod(x, y);
        default:
            return 0;
    }
}

template <class T>
void floats(Op op, Mask mask, const T* a, const T* b, const T* c, T* made) {
    switch (op) {
        case Op::neg:
            return for_all(made, [&](std::size_t k) { return -a[k]; });
        case Op::abs:
            return for_all(made, [&](std::size_t k) { return std::abs(a[k]); });
        case Op::add:
            return for_all(made, [&](std::size_t k) { return a[k] + b[k]; });
        case Op::sub:
            return for_all(made, [&](std::size_t k) { return a[k] - b[k]; });
        case Op::mul:
            return for_all(made, [&](std::size_t k) { return a[k] * b[k]; });
        case Op::div:
            return for_all(made, [&](std::size_t k) { return a[k] / b[k]; });
        case Op::sqrt:
            return for_all(made, [&](std::size_t k) { return std::sqrt(a[k]); });
        case Op::rsqrt:
            return for_all(made, [&](std::size_t k) { return T{1} / std::sqrt(a[k]); });
        case Op::floor:
            return for_all(made, [&](std::size_t k) { return std::floor(a[k]); });
        case Op::ceil:
            return for_all(made, [&](std::size_t k) { return std::ceil(a[k]); });
        case Op::trunc:
            return for_all(made, [&](std::size_t k) { return std::trunc(a[k]); });
        default:
            if (common(op, a, b, made)) return;
            each_lane(mask, [&](std::size_t k) {
                made[k] = function<T>(op, a[k], b ? b[k] : T{0}, c ? c[k] : T{0});
            });
    }
}

// Calls with a pointer to T where numbers of the type are T.
void by_type(Type type, auto act) {
    switch (type) {
        case Type::i32:
            return act(static_cast<std::int32_t*>(nullptr));
        case Type::u32:
            return act(static_cast<std::uint32_t*>(nullptr));
        case Type::i64:
            return act(static_cast<std::int64_t*>(nullptr));
        case Type::u64:
            return act(static_cast<std::uint64_t*>(nullptr));
        case Type::f32:
            return act(static_cast<float*>(nullptr));
        default:
            return act(static_cast<double*>(nullptr));
    }
}

double number_of(Type type, const Value& value, std::size_t lane) {
    return type == Type::f32 ? static_cast<double>(value.of<float>()[lane]) : value.of<double>()[lane];
}

bool rounds(Op op) {
    return op != Op::neg && op != Op::abs && op != Op::min && op != Op::max && op != Op::floor &&
           op != Op::ceil && op != Op::trunc;
}

// What fusing, another order and flushed subnormals add, and the functions of XLA, which nobody documents.
double loosened(Op op, Type type, double most) {
    constexpr double of_functions = 8;
    const double least = type == Type::f32 ? 0x1p-126 : 0x1p-1022;
    return (is_exact(op) ? 1 : of_functions) * ulp(type, most) + least;
}

template <class To, class From>
To convert(From v) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // Kernels clamp before; lanes that are not asked may have anything.
        if (!(v >= static_cast<From>(-9.2e18) && v <= static_cast<From>(1.8e19))) return 0;
        return v < 0 ? static_cast<To>(static_cast<std::int64_t>(v))
                     : static_cast<To>(static_cast<std::uint64_t>(v));
    } else {
        return static_cast<To>(v);
    }
}

}  // namespace

double function_of(Op op, double x) {
    return function<double>(op, x, 0, 0);
}

Value Lanes::fresh(Type type) {
    return {type,
            m_store.take(type == Type::boolean ? 1 : lanes * static_cast<std::size_t>(info(type).components)),
            nullptr};
}

Value Lanes::fill(Type type, std::uint64_t bits) {
    Value made = fresh(type);
    if (type == Type::boolean) {
        *made.slots = bits ? ~Mask{0} : 0;
    } else if (info(type).bytes == 4 && computed(type) != Type::f64) {
        for_all(made.of<std::uint32_t>(), [&](std::size_t) { return static_cast<std::uint32_t>(bits); });
    } else {
        for_all(made.slots, [&](std::size_t) { return bits; });
    }
    return made;
}

Value Lanes::fill_number(Type type, double number) {
    return fill(type, bits_of(computed(type), number));
}

double* Lanes::extras_of(Op op, Mask mask, const Value& a, const Value& b, const Value& c,
                         const Value& made) {
    if (m_how.mode == Mode::values || !is_float(a.type)) return nullptr;
    const bool given = a.extra || b.extra || c.extra;
    if (!given && (m_how.mode == Mode::tangents || (is_exact(op) && !m_how.loose))) return nullptr;
    double* extras = m_store.extras(lanes);
    const Type type = computed(a.type);
    bool any = false;
    for_all(extras, [](std::size_t) { return 0.0; });
    each_lane(mask, [&](std::size_t k) {
        const double x[3] = {number_of(type, a, k), b.slots ? number_of(type, b, k) : 0,
                             c.slots ? number_of(type, c, k) : 0};
        const double e[3] = {a.extra ? a.extra[k] : 0, b.extra ? b.extra[k] : 0, c.extra ? c.extra[k] : 0};
        const double r = number_of(type, made, k);
        if (m_how.mode == Mode::tangents) {
            extras[k] = tangent_of(op, x, e, r);
        } else {
            bool split = false;
            extras[k] = bound_of(op, type, x, e, r, split);
            if (m_how.loose && rounds(op) && std::isfinite(r))
                extras[k] += loosened(op, type, std::abs(r) + extras[k]);
            undecided = undecided || split;
        }
        any = any || extras[k] != 0;
    });
    return any ? extras : nullptr;
}

Value Lanes::operate(Op op, Mask mask, const Value& a, const Value& b, const Value& c) {
    Value made = fresh(a.type);
    switch (computed(a.type)) {
        case Type::f32:
            floats(op, mask, a.of<float>(), b.of<float>(), c.of<float>(), made.of<float>());
            break;
        case Type::f64:
            floats(op, mask, a.of<double>(), b.of<double>(), c.of<double>(), made.of<double>());
            break;
        default: {
            std::uint32_t shift[lanes] = {};
            if (op == Op::shl || op == Op::shr) {
                const bool narrow = info(b.type).bytes == 4;
                for_all(shift, [&](std::size_t k) {
                    return narrow ? b.of<std::uint32_t>()[k] : static_cast<std::uint32_t>(b.slots[k]);
                });
            }
            by_type(a.type, [&](auto* t) {
                using T = std::remove_pointer_t<decltype(t)>;
                if constexpr (std::is_integral_v<T>) integers(op, a.of<T>(), b.of<T>(), made.of<T>(), shift);
            });
        }
    }
    made.extra = extras_of(op, mask, a, b, c, made);
    return made;
}

Value Lanes::compare(Op op, Mask mask, const Value& a, const Value& b) {
    Value made = fresh(Type::boolean);
    if (a.type == Type::boolean) {
        *made.slots = op == Op::eq ? ~(a.mask() ^ b.mask()) : a.mask() ^ b.mask();
        return made;
    }
    by_type(computed(a.type), [&](auto* t) {
        using T = std::remove_pointer_t<decltype(t)>;
        const T* x = a.of<T>();
        const T* y = b.of<T>();
        const auto all = [&](auto is) {
            Mask bits = 0;
            for (std::size_t k = 0; k < lanes; ++k) bits |= static_cast<Mask>(is(x[k], y[k])) << k;
            *made.slots = bits;
        };
        switch (op) {
            case Op::lt:
                return all([](T p, T q) { return p < q; });
            case Op::le:
                return all([](T p, T q) { return p <= q; });
            case Op::gt:
                return all([](T p, T q) { return p > q; });
            case Op::ge:
                return all([](T p, T q) { return p >= q; });
            case Op::eq:
                return all([](T p, T q) { return p == q; });
            default:
                return all([](T p, T q) { return p != q; });
        }
    });
    if (m_how.mode == Mode::bounds && (a.extra || b.extra)) {
        each_lane(mask, [&](std::size_t k) {
            const Type type = computed(a.type);
            const double e = (a.extra ? a.extra[k] : 0) + (b.extra ? b.extra[k] : 0);
            if (e > 0 && !(std::abs(number_of(type, a, k) - number_of(type, b, k)) > e)) undecided = true;
        });
    }
    return made;
}

Value Lanes::select(Mask yes, const Value& a, const Value& b) {
    Value made = fresh(a.type);
    if (a.type == Type::boolean) {
        *made.slots = (a.mask() & yes) | (b.mask() & ~yes);
        return made;
    }
    const auto components = static_cast<std::size_t>(info(a.type).components);
    if (a.extra || b.extra) made.extra = m_store.extras(lanes * components);
    const bool narrow = info(a.type).bytes == 4 && computed(element(a.type)) != Type::f64;
    for (std::size_t c = 0; c < components; ++c) {
        if (narrow)
            for_all(made.of<std::uint32_t>(c),
                    [&](std::size_t k) { return (yes >> k & 1 ? a : b).of<std::uint32_t>(c)[k]; });
        else
            for_all(made.of<std::uint64_t>(c),
                    [&](std::size_t k) { return (yes >> k & 1 ? a : b).of<std::uint64_t>(c)[k]; });
        if (made.extra)
            for_all(made.extra + c * lanes, [&](std::size_t k) {
                const double* extra = (yes >> k & 1 ? a : b).extra;
                return extra ? extra[c * lanes + k] : 0;
            });
    }
    return made;
}

Value Lanes::cast(Type type, Mask mask, const Value& a) {
    Value made = fresh(type);
    if (a.type == Type::boolean) {
        by_type(computed(type), [&](auto* t) {
            using T = std::remove_pointer_t<decltype(t)>;
            for_all(made.of<T>(), [&](std::size_t k) { return static_cast<T>(a.mask() >> k & 1); });
        });
        return made;
    }
    const Type from = computed(a.type);
    by_type(from, [&](auto* f) {
        using From = std::remove_pointer_t<decltype(f)>;
        by_type(computed(type), [&](auto* t) {
            using To = std::remove_pointer_t<decltype(t)>;
            for_all(made.of<To>(), [&](std::size_t k) { return convert<To>(a.of<From>()[k]); });
        });
    });
    if (!a.extra) return made;
    if (is_float(type)) {
        made.extra = m_store.extras(lanes);
        const bool narrows = from == Type::f64 && computed(type) == Type::f32 && m_how.mode == Mode::bounds;
        for_all(made.extra, [&](std::size_t k) {
            const double e = a.extra[k];
            return narrows && e > 0 ? e + ulp(Type::f32, std::abs(number_of(from, a, k)) + e) : e;
        });
    } else if (m_how.mode == Mode::bounds) {
        each_lane(mask, [&](std::size_t k) {
            const double x = number_of(from, a, k), e = a.extra[k];
            if (e > 0 && !(std::trunc(x - e) == std::trunc(x + e))) undecided = true;
        });
    }
    return made;
}

}  // namespace workbench::synth
