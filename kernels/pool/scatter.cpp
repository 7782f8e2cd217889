// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/scatter.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include <bit>

#include "kernels/pool/fold-inl.h"
#include "kernels/pool/scatter.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

// Returns whether a divisor, a whole number, is a power of two up to 2^30.
inline bool is_power_of_two(double divisor) {
    return divisor >= 1.0 && divisor <= 1 << 30 && std::has_single_bit(static_cast<std::uint32_t>(divisor));
}

HWY_FLATTEN void make_shares_for_target(const float* dy, std::int64_t count, const Divisors& by, float* to) {
    // The product with the inverse of a power of two has the quotient's bits.
    if (by.columns == nullptr && is_power_of_two(by.rows)) {
        const auto inverse = static_cast<float>(1.0 / by.rows);
        for_outputs<float>(to, count, false, [&](auto d, std::int64_t o, bool) HWY_ATTR {
            hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, dy + o), hn::Set(d, inverse)), hn::Zero(d)), d, to + o);
            return all_true(d);
        });
        return;
    }
    for_outputs<float>(to, count, false, [&](auto d, std::int64_t o, bool) HWY_ATTR {
        hn::StoreU(hn::Add(hn::Div(hn::LoadU(d, dy + o), divisors(d, by, o)), hn::Zero(d)), d, to + o);
        return all_true(d);
    });
}

// The sum of Windows shares, of which the last is the one at `last`; of more where that is 0.
template <int Windows, class D, class Acc>
HWY_INLINE hn::Vec<D> sum_up_to(D d, std::int64_t windows, const Acc* last) {
    const std::int64_t count = Windows > 0 ? Windows : windows;
    if (count == 0) return hn::Zero(d);
    auto sum = hn::LoadU(d, last - (count - 1));
    for (std::int64_t m = count - 2; m >= 0; --m) sum = hn::Add(sum, hn::LoadU(d, last - m));
    return sum;
}

template <int Even, int Odd, class Acc>
HWY_FLATTEN void scatter_by_two(std::int64_t window, const Acc* shares, std::int64_t count, Acc* to) {
    const WideTag<Acc> d;
    constexpr std::int64_t n = wide_lanes<Acc>;
    const std::int64_t odd = window / 2;
    const std::int64_t even = window - odd;
    for (std::int64_t j = 0; 2 * j < count; j += n) {
        const auto first = sum_up_to<Even>(d, even, shares + j);
        const auto second = sum_up_to<Odd>(d, odd, shares + j);
        hn::StoreInterleaved2(first, second, d, to + 2 * j);
    }
}

template <int Windows, class Acc>
HWY_FLATTEN void scatter_by_one(std::int64_t window, const Acc* shares, std::int64_t count, Acc* to) {
    const WideTag<Acc> d;
    for (std::int64_t j = 0; j < count; j += wide_lanes<Acc>)
        hn::StoreU(sum_up_to<Windows>(d, window, shares + j), d, to + j);
}

template <class Acc>
void scatter_shares_of(std::int64_t window, std::int64_t stride, const Acc* shares, std::int64_t count,
                       Acc* to) {
    if (stride == 1) {
        return window == 3 ? scatter_by_one<3>(window, shares, count, to)
                           : scatter_by_one<0>(window, shares, count, to);
    }
    if (window == 2) return scatter_by_two<1, 1>(window, shares, count, to);
    if (window == 3) return scatter_by_two<2, 1>(window, shares, count, to);
    scatter_by_two<0, 0>(window, shares, count, to);
}

// Window is 2 or 3, Rows 1 or 2; N lanes. Odd: the first output is the second of a pair of positions.
template <int Window, int Rows, bool Odd, std::int64_t N>
HWY_FLATTEN void scatter_and_add_of(std::span<const float* const> rows, std::int64_t padding,
                                    std::int64_t count, bool non_temporal, float* to) {
    const Tag<float, N> d;
    const float* shares[2] = {rows[0] + padding / 2, rows[Rows - 1] + padding / 2};
    const auto sum = [&]<int Windows>(std::int64_t j) HWY_ATTR {
        auto all = sum_up_to<Windows>(d, Windows, shares[0] + j);
        if constexpr (Rows == 2) all = hn::Add(all, sum_up_to<Windows>(d, Windows, shares[1] + j));
        return all;
    };
    const auto even = [&](std::int64_t j)
                          HWY_ATTR { return sum.template operator()<Window - Window / 2>(j); };
    const auto odd = [&](std::int64_t j) HWY_ATTR { return sum.template operator()<Window / 2>(j); };
    const auto pairs = [&](std::int64_t i, float* at) HWY_ATTR {
        const std::int64_t j = i / 2;
        if constexpr (Odd) {
            hn::StoreInterleaved2(odd(j), even(j + 1), d, at);
        } else {
            hn::StoreInterleaved2(even(j), odd(j), d, at);
        }
    };
    alignas(64) float made[static_cast<std::size_t>(2 * N)];
    const auto stream = [&](std::int64_t i, std::int64_t vectors) HWY_ATTR {
        pairs(i, made);
        for (std::int64_t k = 0; k < vectors; ++k) hn::Stream(hn::LoadU(d, made + k * N), d, to + i + k * N);
    };
    std::int64_t i = 0;
    if (non_temporal) {
        for (; i + 2 * N <= count; i += 2 * N) stream(i, 2);
        if (i + N <= count) {
            stream(i, 1);
            i += N;
        }
    } else {
        for (; i + 2 * N <= count; i += 2 * N) pairs(i, to + i);
    }
    if (i < count) {
        pairs(i, made);
        std::copy_n(made, count - i, to + i);
    }
}

template <int Window, int Rows>
void scatter_and_add_in(std::span<const float* const> rows, std::int64_t padding, std::int64_t count,
                        bool non_temporal, float* to) {
    constexpr std::int64_t wide = wide_lanes<float>;
    // Vectors that fill a row from its first element to its last.
    const bool whole =
        count % wide == 0 && reinterpret_cast<std::uintptr_t>(to) % (wide * sizeof(float)) == 0;
    const auto call = [&]<std::int64_t N>() {
        padding % 2 != 0 ? scatter_and_add_of<Window, Rows, true, N>(rows, padding, count, non_temporal, to)
                         : scatter_and_add_of<Window, Rows, false, N>(rows, padding, count, non_temporal, to);
    };
    !non_temporal || whole ? call.template operator()<wide>() : call.template operator()<lanes<float>>();
}

template <int Rows, class Acc>
HWY_FLATTEN void add_rows_of(std::span<const Acc* const> rows, std::int64_t count, bool non_temporal,
                             Acc* to) {
    const Acc* from[static_cast<std::size_t>(std::max(Rows, 1))];
    std::copy_n(rows.begin(), Rows, from);
    for_outputs<Acc>(to, count, non_temporal, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
        auto sum = Rows > 0 ? hn::LoadU(d, from[0] + o) : hn::Zero(d);
        for (int r = 1; r < Rows; ++r) sum = hn::Add(sum, hn::LoadU(d, from[r] + o));
        stream ? hn::Stream(sum, d, to + o) : hn::StoreU(sum, d, to + o);
        return all_true(d);
    });
}

// Any number of them.
template <class Acc>
HWY_FLATTEN void add_many_rows(std::span<const Acc* const> rows, std::int64_t count, bool non_temporal,
                               Acc* to) {
    for_outputs<Acc>(to, count, non_temporal, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
        auto sum = hn::LoadU(d, rows[0] + o);
        for (std::size_t r = 1; r < rows.size(); ++r) sum = hn::Add(sum, hn::LoadU(d, rows[r] + o));
        stream ? hn::Stream(sum, d, to + o) : hn::StoreU(sum, d, to + o);
        return all_true(d);
    });
}

template <class Acc>
void add_rows_in(std::span<const Acc* const> rows, std::int64_t count, bool non_temporal, Acc* to) {
    switch (rows.size()) {
        case 0:
            return add_rows_of<0>(rows, count, non_temporal, to);
        case 1:
            return add_rows_of<1>(rows, count, non_temporal, to);
        case 2:
            return add_rows_of<2>(rows, count, non_temporal, to);
        case 3:
            return add_rows_of<3>(rows, count, non_temporal, to);
        default:
            return add_many_rows(rows, count, non_temporal, to);
    }
}

void scatter_shares_f32(std::int64_t window, std::int64_t stride, const float* shares, std::int64_t count,
                        float* to) {
    scatter_shares_of(window, stride, shares, count, to);
}
void scatter_shares_f64(std::int64_t window, std::int64_t stride, const double* shares, std::int64_t count,
                        double* to) {
    scatter_shares_of(window, stride, shares, count, to);
}
void scatter_and_add_f32(std::int64_t window, std::span<const float* const> rows, std::int64_t padding,
                         std::int64_t count, bool non_temporal, float* to) {
    const bool two = rows.size() == 2;
    const auto call = [&]<int Window>() {
        two ? scatter_and_add_in<Window, 2>(rows, padding, count, non_temporal, to)
            : scatter_and_add_in<Window, 1>(rows, padding, count, non_temporal, to);
    };
    window == 2 ? call.template operator()<2>() : call.template operator()<3>();
}
void add_rows_f32(std::span<const float* const> rows, std::int64_t count, bool non_temporal, float* to) {
    add_rows_in(rows, count, non_temporal, to);
}
void add_rows_f64(std::span<const double* const> rows, std::int64_t count, double* to) {
    add_rows_in(rows, count, false, to);
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(make_shares_for_target);
HWY_EXPORT(scatter_shares_f32);
HWY_EXPORT(scatter_shares_f64);
HWY_EXPORT(scatter_and_add_f32);
HWY_EXPORT(add_rows_f32);
HWY_EXPORT(add_rows_f64);

void make_shares(const float* dy, std::int64_t count, const Divisors& divisors, float* to) {
    HWY_DYNAMIC_DISPATCH(make_shares_for_target)(dy, count, divisors, to);
}
void scatter_shares(std::int64_t window, std::int64_t stride, const float* shares, std::int64_t count,
                    float* to) {
    HWY_DYNAMIC_DISPATCH(scatter_shares_f32)(window, stride, shares, count, to);
}
void scatter_shares(std::int64_t window, std::int64_t stride, const double* shares, std::int64_t count,
                    double* to) {
    HWY_DYNAMIC_DISPATCH(scatter_shares_f64)(window, stride, shares, count, to);
}
void scatter_and_add(std::int64_t window, std::span<const float* const> shares, std::int64_t padding,
                     std::int64_t count, bool non_temporal, float* to) {
    HWY_DYNAMIC_DISPATCH(scatter_and_add_f32)(window, shares, padding, count, non_temporal, to);
}
void add_rows(std::span<const float* const> rows, std::int64_t count, bool non_temporal, float* to) {
    HWY_DYNAMIC_DISPATCH(add_rows_f32)(rows, count, non_temporal, to);
}
void add_rows(std::span<const double* const> rows, std::int64_t count, double* to) {
    HWY_DYNAMIC_DISPATCH(add_rows_f64)(rows, count, to);
}

}  // namespace iir2d::pool
#endif
