// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/powers.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/powers.h"

#include <limits>

#include "kernels/support/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

// Calls body(d, i) for whole vectors, and the rest one by one.
HWY_INLINE void for_vectors(std::int64_t count, const auto& body) {
    constexpr std::int64_t n = wide_lanes<double>;
    std::int64_t i = 0;
    for (; i + n <= count; i += n) body(WideTag<double>(), i);
    for (; i < count; ++i) body(Tag<double, 1>(), i);
}

// c[0] + c[1] x + c[2] x^2 + ... No fused operations, which not every instruction set has.
template <std::size_t Count, class D>
HWY_INLINE hn::Vec<D> polynomial(D d, const hn::Vec<D>& x, const double (&c)[Count]) {
    auto sum = hn::Set(d, c[Count - 1]);
    for (std::size_t k = Count - 1; k-- > 0;) sum = hn::Add(hn::Mul(sum, x), hn::Set(d, c[k]));
    return sum;
}

// The logarithm to base 2 of normal numbers above 0: that of 2^k m, with m from the root of 1/2 to that of 2,
// is k and an odd series in (m - 1) / (m + 1).
template <class D>
HWY_INLINE hn::Vec<D> log2_of(D d, const hn::Vec<D>& v) {
    const hn::Rebind<std::uint64_t, D> du;
    constexpr std::uint64_t one = 0x3FF0000000000000U;
    constexpr std::uint64_t root_of_half = 0x3FE6A09E667F3BCDU;
    const auto bits = hn::BitCast(du, v);
    const auto from_root = hn::Add(bits, hn::Set(du, one - root_of_half));  // k + 1023 in the exponent
    const auto exponent = hn::ShiftRight<52>(from_root);
    const auto m = hn::BitCast(d, hn::Add(hn::Sub(bits, hn::ShiftLeft<52>(exponent)), hn::Set(du, one)));
    // An integer below the exponent of 2^52 is that many more than 2^52.
    const auto k = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::Set(du, std::uint64_t{0x4330000000000000U}))),
                           hn::Set(d, 4503599627370496.0 + 1023.0));
    constexpr double twice = 2.8853900817779268;  // 2 / ln 2
    constexpr double c[] = {twice, twice / 3, twice / 5, twice / 7, twice / 9, twice / 11, twice / 13};
    const auto s = hn::Div(hn::Sub(m, hn::Set(d, 1.0)), hn::Add(m, hn::Set(d, 1.0)));
    return hn::Add(k, hn::Mul(s, polynomial(d, hn::Mul(s, s), c)));
}

// 2^t: that of the nearest integer by its bits, and of the rest, at most 1/2, by Taylor's series.
template <class D>
HWY_INLINE hn::Vec<D> exp2_of(D d, const hn::Vec<D>& given) {
    const hn::Rebind<std::uint64_t, D> du;
    const auto t = hn::Min(hn::Max(given, hn::Set(d, -1023.0)), hn::Set(d, 1024.0));
    const auto shift = hn::Set(d, 6755399441055744.0);  // 1.5 * 2^52: what is added to it is rounded
    const auto rounded = hn::Add(t, shift);
    const auto n = hn::Sub(rounded, shift);
    constexpr double c[] = {1.0,
                            0.6931471805599453,
                            0.24022650695910072,
                            0.05550410866482158,
                            0.009618129107628477,
                            0.0013333558146428441,
                            0.00015403530393381606,
                            1.5252733804059838e-05,
                            1.3215486790144305e-06,
                            1.0178086009239696e-07};
    const auto part = polynomial(d, hn::Sub(t, n), c);
    const auto scale = hn::ShiftLeft<52>(hn::Add(hn::BitCast(du, rounded), hn::Set(du, std::uint64_t{1023})));
    return hn::Mul(part, hn::BitCast(d, scale));
}

// v^exponent of magnitudes.
template <class D>
HWY_INLINE hn::Vec<D> power_of(D d, const hn::Vec<D>& v, double exponent) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto zero = hn::Zero(d);
    const auto power = exp2_of(d, hn::Mul(log2_of(d, v), hn::Set(d, exponent)));
    const auto of_zero = hn::Set(d, exponent > 0.0 ? 0.0 : infinity);
    const auto of_infinity = hn::Set(d, exponent > 0.0 ? infinity : 0.0);
    const auto numbers = hn::IfThenElse(hn::Ge(v, hn::Set(d, infinity)), of_infinity,
                                        hn::IfThenElse(hn::Le(v, zero), of_zero, power));
    return hn::IfThenElse(hn::IsNaN(v), v, numbers);
}

template <class D>
HWY_INLINE hn::Vec<D> magnitudes(D d, const float* from) {
    return hn::Abs(load_as(d, from));
}

HWY_FLATTEN void raise_for_target(double exponent, const float* from, std::int64_t count, double* to) {
    for_vectors(count, [&](auto d, std::int64_t i) HWY_ATTR {
        hn::StoreU(power_of(d, magnitudes(d, from + i), exponent), d, to + i);
    });
}

template <class Out>
HWY_FLATTEN bool take_roots_in(double exponent, double lowest, const double* sums, std::int64_t count,
                               Out* to) {
    bool all_good = true;
    for_vectors(count, [&](auto d, std::int64_t i) HWY_ATTR {
        const auto sum = hn::LoadU(d, sums + i);
        const auto good = hn::And(hn::Ge(sum, hn::Set(d, lowest)),
                                  hn::Le(sum, hn::Set(d, std::numeric_limits<double>::max())));
        const auto nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
        store_from(d, hn::IfThenElse(good, power_of(d, sum, exponent), nan), to + i);
        all_good = all_good && hn::AllTrue(d, good);
    });
    return all_good;
}

// Where v is 0, +0; else what is given.
template <class D>
HWY_INLINE hn::Vec<D> unless_zero(D d, const hn::Vec<D>& v, const hn::Vec<D>& given) {
    const auto magnitude = hn::Abs(v);
    return hn::IfThenElse(hn::Le(magnitude, hn::Zero(d)), hn::Zero(d), given);
}

HWY_FLATTEN void make_norm_shares_for_target(double p, const float* dy, const float* y, std::int64_t count,
                                             double* to) {
    const auto each = [&](const auto& share) HWY_ATTR {
        for_vectors(count, [&](auto d, std::int64_t i) HWY_ATTR {
            const auto norm = load_as(d, y + i);
            // A zero of either sign is +0, as where sums begin with it.
            const auto made = hn::Add(share(d, load_as(d, dy + i), norm), hn::Zero(d));
            hn::StoreU(unless_zero(d, norm, made), d, to + i);
        });
    };
    if (p == 1.0) {
        each([](auto, const auto& given, const auto& norm)
                 HWY_ATTR { return hn::IfThenElse(hn::IsNaN(norm), norm, given); });
    } else if (p == 2.0) {
        each([](auto, const auto& given, const auto& norm) HWY_ATTR { return hn::Div(given, norm); });
    } else {
        each([&](auto d, const auto& given, const auto& norm)
                 HWY_ATTR { return hn::Mul(given, power_of(d, norm, 1.0 - p)); });
    }
}

template <class Out>
HWY_FLATTEN void make_norm_gradients_in(double p, const float* x, const double* sums, std::int64_t count,
                                        Out* to) {
    const auto each = [&](const auto& gradient) HWY_ATTR {
        for_vectors(count, [&](auto d, std::int64_t i) HWY_ATTR {
            const auto v = load_as(d, x + i);
            const auto made = gradient(d, v, hn::LoadU(d, sums + i));
            // One kind of NaN, whichever operand it came from.
            const auto nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
            store_from(d, unless_zero(d, v, hn::IfThenElse(hn::IsNaN(made), nan, made)), to + i);
        });
    };
    // With the sign of v, and NaN where v is.
    const auto with_sign = [](auto d, const auto& v, const auto& made) HWY_ATTR {
        const auto negative = hn::Mul(made, hn::Set(d, -1.0));
        const auto with_its_sign = hn::IfThenElse(hn::Le(v, hn::Zero(d)), negative, made);
        return hn::IfThenElse(hn::IsNaN(v), v, with_its_sign);
    };
    if (p == 1.0) {
        each([&](auto d, const auto& v, const auto& sum) HWY_ATTR { return with_sign(d, v, sum); });
    } else if (p == 2.0) {
        each([](auto, const auto& v, const auto& sum) HWY_ATTR { return hn::Mul(v, sum); });
    } else {
        each([&](auto d, const auto& v, const auto& sum)
                 HWY_ATTR { return with_sign(d, v, hn::Mul(power_of(d, hn::Abs(v), p - 1.0), sum)); });
    }
}

bool take_roots_f32(double exponent, double lowest, const double* sums, std::int64_t count, float* to) {
    return take_roots_in(exponent, lowest, sums, count, to);
}
bool take_roots_f64(double exponent, double lowest, const double* sums, std::int64_t count, double* to) {
    return take_roots_in(exponent, lowest, sums, count, to);
}
void make_norm_gradients_f32(double p, const float* x, const double* sums, std::int64_t count, float* to) {
    make_norm_gradients_in(p, x, sums, count, to);
}
void make_norm_gradients_f64(double p, const float* x, const double* sums, std::int64_t count, double* to) {
    make_norm_gradients_in(p, x, sums, count, to);
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(raise_for_target);
HWY_EXPORT(take_roots_f32);
HWY_EXPORT(take_roots_f64);
HWY_EXPORT(make_norm_shares_for_target);
HWY_EXPORT(make_norm_gradients_f32);
HWY_EXPORT(make_norm_gradients_f64);

void raise(double exponent, const float* from, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(raise_for_target)(exponent, from, count, to);
}
bool take_roots(double exponent, double lowest, const double* sums, std::int64_t count, float* to) {
    return HWY_DYNAMIC_DISPATCH(take_roots_f32)(exponent, lowest, sums, count, to);
}
bool take_roots(double exponent, double lowest, const double* sums, std::int64_t count, double* to) {
    return HWY_DYNAMIC_DISPATCH(take_roots_f64)(exponent, lowest, sums, count, to);
}
void make_norm_shares(double p, const float* dy, const float* y, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(make_norm_shares_for_target)(p, dy, y, count, to);
}
void make_norm_gradients(double p, const float* x, const double* sums, std::int64_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(make_norm_gradients_f32)(p, x, sums, count, to);
}
void make_norm_gradients(double p, const float* x, const double* sums, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(make_norm_gradients_f64)(p, x, sums, count, to);
}

}  // namespace iir2d::pool
#endif
