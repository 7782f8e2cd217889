// SPDX-License-Identifier: MIT
// How an operation carries the errors, or the tangents, of what it is given.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/synth/lanes.h"

namespace workbench::synth {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double evaluate(Op op, double x) {
    if (op == Op::sqrt) return std::sqrt(x);
    if (op == Op::rsqrt) return 1 / std::sqrt(x);
    return function_of(op, x);
}

// Returns the larger number, or NaN where one of them is.
double larger_or_nan(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

double largest(Type type) {
    return type == Type::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                             : std::numeric_limits<double>::max();
}

// Whether r is infinite so near to the largest number that another implementation may be finite: for
// arguments that are a little smaller it is.
bool overflows_narrowly(Op op, Type type, const double (&x)[3], double r) {
    if (!std::isinf(r) || !std::isfinite(x[0]) || !std::isfinite(x[1])) return false;
    const double less = 1 - (type == Type::f32 ? 0x1p-15 : 0x1p-40);
    switch (op) {
        case Op::exp:
        case Op::exp2:
            return evaluate(op, x[0] * less) <= largest(type);
        case Op::pow:
            return std::abs(std::pow(x[0], x[1] * less)) <= largest(type);
        case Op::hypot:
            return std::hypot(x[0] * less, x[1] * less) <= largest(type);
        default:
            return false;  // poles
    }
}

// The larger distance of f(x - e) and f(x + e) from f(x), of a function that rises or falls throughout. Where
// e is small, the ends differ by rounding as much as by e: one part in 2^40 of f more.
double monotone(Op op, double x, double e) {
    const double low = evaluate(op, x - e), high = evaluate(op, x + e), middle = evaluate(op, x);
    const double off = larger_or_nan(std::abs(high - middle), std::abs(low - middle));
    // By the slope where the difference is lost in rounding.
    const double h = std::max(std::abs(x), 1e-300) * 0x1p-20;
    if (e >= h) return off * (1 + 0x1p-30) + std::abs(middle) * 0x1p-50;
    const double slope =
        larger_or_nan(std::abs(evaluate(op, x + h) - middle), std::abs(middle - evaluate(op, x - h))) / h;
    return slope * e * (1 + 0x1p-10) + std::abs(middle) * 0x1p-52 * (e > 0 ? 1 : 0);
}

double pow_bound(double x, double y, double ex, double ey) {
    if (!(x - ex > 0)) return infinity;
    const double r = std::pow(x, y);
    // d ln r = y dx / x + ln x dy, at its largest.
    const double l = std::abs(y) * ex / (x - ex) + ey * ex / (x - ex) +
                     ey * std::max(std::abs(std::log(x - ex)), std::abs(std::log(x + ex)));
    return r * std::expm1(l) * (1 + 0x1p-20);
}

}  // namespace

double ulp(Type type, double r) {
    if (!std::isfinite(r)) return infinity;
    int exponent = 0;
    std::frexp(r, &exponent);
    if (r == 0) exponent = -2000;
    return type == Type::f32 ? std::ldexp(1.0, std::max(exponent - 24, -149))
                             : std::ldexp(1.0, std::max(exponent - 53, -1074));
}

double bound_of(Op op, Type type, const double (&x)[3], const double (&e)[3], double r, bool& split) {
    const double any = e[0] + e[1] + e[2];
    double made = 0;
    if (any > 0 || std::isnan(any)) {
        if (!(any < infinity) || !std::isfinite(r)) return infinity;
        switch (op) {
            case Op::add:
            case Op::sub:
                made = e[0] + e[1];
                break;
            case Op::mul:
                made = std::abs(x[0]) * e[1] + std::abs(x[1]) * e[0] + e[0] * e[1];
                break;
            case Op::fma:
                made = std::abs(x[0]) * e[1] + std::abs(x[1]) * e[0] + e[0] * e[1] + e[2];
                break;
            case Op::div:
                if (!(std::abs(x[1]) > e[1])) return infinity;
                made = (e[0] + std::abs(x[0] / x[1]) * e[1]) / (std::abs(x[1]) - e[1]);
                break;
            case Op::min:
            case Op::max:
                return std::max(e[0], e[1]);
            case Op::neg:
            case Op::abs:
                return e[0];
            case Op::sin:
            case Op::cos:
                made = e[0];
                break;
            case Op::tan:
                if (e[0] > 0.1 || std::cos(x[0] - e[0]) * std::cos(x[0] + e[0]) <= 0) return infinity;
                made = monotone(op, x[0], e[0]);
                break;
            case Op::log:
            case Op::log2:
            case Op::rsqrt:
                if (!(x[0] - e[0] > 0)) return infinity;
                made = monotone(op, x[0], e[0]);
                break;
            case Op::sqrt:
                if (!(x[0] - e[0] >= 0)) return infinity;
                made = e[0] >= x[0] ? std::sqrt(x[0] + e[0]) : e[0] / std::sqrt(x[0] - e[0]);
                break;
            case Op::log1p:
                if (!(x[0] - e[0] > -1)) return infinity;
                made = monotone(op, x[0], e[0]);
                break;
            case Op::cbrt:
                made = std::abs(x[0]) > 2 * e[0] ? monotone(op, x[0], e[0]) : std::cbrt(4 * e[0]) * 2;
                break;
            case Op::exp:
            case Op::exp2:
            case Op::tanh:
            case Op::erf:
                made = monotone(op, x[0], e[0]);
                break;
            case Op::pow:
                made = pow_bound(x[0], x[1], e[0], e[1]);
                break;
            case Op::atan2: {
                const double from = std::hypot(x[0], x[1]) - std::hypot(e[0], e[1]);
                if (!(from > 0) || (x[1] - e[1] <= 0 && std::abs(x[0]) <= e[0])) return infinity;
                made = std::hypot(e[0], e[1]) / from;
                break;
            }
            case Op::hypot:
                made = std::hypot(e[0], e[1]);
                break;
            case Op::floor:
            case Op::ceil:
            case Op::trunc: {
                const auto rounded = [&](double v) {
                    return op == Op::floor ? std::floor(v) : op == Op::ceil ? std::ceil(v) : std::trunc(v);
                };
                const double low = rounded(x[0] - e[0]), high = rounded(x[0] + e[0]);
                if (low != high || std::signbit(low) != std::signbit(high)) split = true;
                return 0;
            }
            case Op::fmod: {
                const double q = std::trunc(x[0] / x[1]);
                const double off =
                    (e[0] + std::abs(q) * e[1]) / (std::abs(x[1]) - e[1]) + std::abs(q) * 0x1p-50;
                if (!(std::abs(x[1]) > e[1])) return infinity;
                if (std::trunc(x[0] / x[1] - off) != q || std::trunc(x[0] / x[1] + off) != q) split = true;
                made = e[0] + std::abs(q) * e[1];
                break;
            }
            default:
                return infinity;
        }
        // Both round: half an ulp each, at the larger end.
        made += ulp(type, std::abs(r) + made);
    }
    const double documented = type == Type::f32 ? info(op).ulp_f32 : info(op).ulp_f64;
    if (documented > 0) {
        if (std::isnan(r) || std::isinf(r))
            return any > 0 || overflows_narrowly(op, type, x, r) ? infinity : 0;
        made += (2 * documented + info(op).ulp_host) * ulp(type, std::abs(r) + made);
    }
    // Another may be infinite, or nothing can be said.
    if (std::isnan(made) || (made > 0 && std::abs(r) + made > largest(type))) return infinity;
    return made;
}

double tangent_of(Op op, const double (&x)[3], const double (&t)[3], double r) {
    switch (op) {
        case Op::neg:
            return -t[0];
        case Op::add:
            return t[0] + t[1];
        case Op::sub:
            return t[0] - t[1];
        case Op::mul:
            return t[0] * x[1] + x[0] * t[1];
        case Op::div:
            return (t[0] * x[1] - x[0] * t[1]) / (x[1] * x[1]);
        case Op::fma:
            return t[0] * x[1] + x[0] * t[1] + t[2];
        case Op::min:
            return x[0] < x[1] ? t[0] : t[1];
        case Op::max:
            return x[0] > x[1] ? t[0] : t[1];
        case Op::abs:
            return x[0] < 0 ? -t[0] : t[0];
        case Op::sin:
            return std::cos(x[0]) * t[0];
        case Op::cos:
            return -std::sin(x[0]) * t[0];
        case Op::tan:
            return t[0] / (std::cos(x[0]) * std::cos(x[0]));
        case Op::exp:
            return std::exp(x[0]) * t[0];
        case Op::exp2:
            return std::exp2(x[0]) * std::log(2.0) * t[0];
        case Op::log:
            return t[0] / x[0];
        case Op::log2:
            return t[0] / (x[0] * std::log(2.0));
        case Op::log1p:
            return t[0] / (1 + x[0]);
        case Op::tanh:
            return t[0] / (std::cosh(x[0]) * std::cosh(x[0]));
        case Op::sqrt:
            return t[0] / (2 * std::sqrt(x[0]));
        case Op::rsqrt:
            return -0.5 * t[0] / (x[0] * std::sqrt(x[0]));
        case Op::cbrt:
            return t[0] / (3 * std::cbrt(x[0]) * std::cbrt(x[0]));
        case Op::pow:
            return r * (t[0] * x[1] / x[0] + (t[1] != 0 ? t[1] * std::log(x[0]) : 0));
        case Op::atan2:
            return (t[0] * x[1] - t[1] * x[0]) / (x[0] * x[0] + x[1] * x[1]);
        case Op::erf:
            return t[0] * 2 / std::sqrt(std::acos(-1.0)) * std::exp(-x[0] * x[0]);
        case Op::hypot:
            return (t[0] * x[0] + t[1] * x[1]) / std::hypot(x[0], x[1]);
        case Op::fmod:
            return t[0] - t[1] * std::trunc(x[0] / x[1]);
        default:
            return 0;  // floor, ceil, trunc
    }
}

}  // namespace workbench::synth
