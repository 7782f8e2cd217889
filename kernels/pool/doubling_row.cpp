// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/doubling_row.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/join-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

// The largest part that stays in registers until it is made.
constexpr std::int64_t most_in_registers = 64;

template <Join J, class D, class Acc>
HWY_INLINE hn::Vec<D> four_at(D d, const Acc* from) {
    return joined<J>(joined<J>(hn::LoadU(d, from), hn::LoadU(d, from + 1)),
                     joined<J>(hn::LoadU(d, from + 2), hn::LoadU(d, from + 3)));
}

// to[o] = from[o] and later[o]. `to` may be `from`.
template <Join J, class Acc>
HWY_INLINE void join_rows(const Acc* from, const Acc* later, std::int64_t count, Acc* to) {
    const Tag<Acc> d;
    for (std::int64_t o = 0; o < count; o += lanes<Acc>)
        hn::StoreU(joined<J>(hn::LoadU(d, from + o), hn::LoadU(d, later + o)), d, to + o);
}

// Vectors of eight, where parts of 8 side by side are vectors side by side: step(i, o) takes the one from
// from[o] on, and gives the part whose last 8 taps these are. Steps are counted so that registers need no
// moves.
template <Join J, int Taps, class Acc>
struct Rolling {
    static constexpr std::int64_t n = 8;
    using D = Tag<Acc, n>;
    using V = hn::Vec<D>;
    const Acc* from;
    V four;
    V eight{};
    V sixteens[2]{};
    V thirties[4]{};

    HWY_INLINE explicit Rolling(const Acc* row) : from(row), four(four_at<J>(D(), row)) {}

    HWY_INLINE V step(auto i, std::int64_t o) {
        const V next = four_at<J>(D(), from + o + n);
        const V e = joined<J>(four, hn::ConcatLowerUpper(D(), next, four));
        four = next;
        if constexpr (Taps == 8) {
            return e;
        } else {
            const V s = joined<J>(eight, e);
            eight = e;
            if constexpr (Taps == 16) {
                return s;
            } else {
                const V t = joined<J>(sixteens[i % 2], s);
                sixteens[i % 2] = s;
                if constexpr (Taps == 32) {
                    return t;
                } else {
                    const V x = joined<J>(thirties[i % 4], t);
                    thirties[i % 4] = t;
                    return x;
                }
            }
        }
    }
};

// How parts are stored: to[o] = the part, or the part joined with the tap behind it, or the sum of to[o] and
// the part.
enum class Put { part, with_single, add };

// From parts of `part` taps in `scratch` to those of `taps`.
template <Join J, Put How, class Acc>
HWY_INLINE void finish_parts(std::int64_t part, std::int64_t taps, const Acc* from, std::int64_t count,
                             Acc* to, Acc* scratch) {
    for (; part < taps; part *= 2) join_rows<J>(scratch, scratch + part, count + taps - 2 * part, scratch);
    if constexpr (How == Put::add) {
        join_rows<J>(to, scratch, count, to);
    } else if constexpr (How == Put::with_single) {
        join_rows<J>(scratch, from + taps, count, to);
    } else if (to != scratch) {
        std::copy_n(scratch, count, to);
    }
}

// The parts of Taps taps from from[o] on.
template <Join J, int Taps, Put How, class Acc>
HWY_FLATTEN void short_parts(const Acc* from, std::int64_t count, Acc* to, Acc* scratch) {
    const Tag<Acc> d;
    constexpr std::int64_t n = lanes<Acc>;
    if constexpr (n == 8) {
        constexpr std::int64_t before = Taps / n - 1;  // steps
        Rolling<J, Taps, Acc> rolling(from);
        unrolled<before>([&](auto i) HWY_ATTR { rolling.step(i, i * n); });
        const auto make = [&](auto i, std::int64_t o) HWY_ATTR {
            auto made = rolling.step(std::integral_constant<std::int64_t, i + before>(), o + before * n);
            if constexpr (How == Put::with_single) made = joined<J>(made, hn::LoadU(d, from + o + Taps));
            if constexpr (How == Put::add) made = hn::Add(hn::LoadU(d, to + o), made);
            hn::StoreU(made, d, to + o);
        };
        std::int64_t o = 0;
        for (; o + 4 * n <= count; o += 4 * n) unrolled<4>([&](auto i) HWY_ATTR { make(i, o + i * n); });
        unrolled<4>([&](auto i) HWY_ATTR {
            if (o + i * n < count) make(i, o + i * n);
        });
    } else {
        // The same order through memory.
        for (std::int64_t o = 0; o < count + Taps - 8; o += n)
            hn::StoreU(joined<J>(four_at<J>(d, from + o), four_at<J>(d, from + o + 4)), d, scratch + o);
        finish_parts<J, How>(8, Taps, from, count, to, scratch);
    }
}

// As short_parts(), of any power of two from 8 on. `to` may be `scratch`.
template <Join J, Put How, class Acc>
HWY_INLINE void parts_of(std::int64_t taps, const Acc* from, std::int64_t count, Acc* to, Acc* scratch) {
    switch (taps) {
        case 8:
            return short_parts<J, 8, How>(from, count, to, scratch);
        case 16:
            return short_parts<J, 16, How>(from, count, to, scratch);
        case 32:
            return short_parts<J, 32, How>(from, count, to, scratch);
        case most_in_registers:
            return short_parts<J, most_in_registers, How>(from, count, to, scratch);
        default:
            break;
    }
    short_parts<J, most_in_registers, Put::part>(from, count + taps - most_in_registers, scratch, scratch);
    finish_parts<J, How>(most_in_registers, taps, from, count, to, scratch);
}

template <class Acc>
HWY_INLINE bool are_numbers(const Acc* from, std::int64_t count) {
    const Tag<Acc> d;
    constexpr std::int64_t n = lanes<Acc>;
    auto good = all_true(d);
    auto sum = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 4 * n <= count; i += 4 * n) {
        sum = hn::Add(sum, hn::Add(hn::Add(hn::LoadU(d, from + i), hn::LoadU(d, from + i + n)),
                                   hn::Add(hn::LoadU(d, from + i + 2 * n), hn::LoadU(d, from + i + 3 * n))));
    }
    good = hn::Le(sum, sum);
    bool rest = true;
    for (; i < count; ++i) rest = rest && from[i] == from[i];
    return rest && hn::AllTrue(d, good);
}

// to[o] and the sum of `singles` elements from from[o] on.
template <class Acc>
HWY_FLATTEN void add_singles(std::int64_t singles, const Acc* from, std::int64_t count, Acc* to) {
    const Tag<Acc> d;
    with_singles(singles, [=](auto some) HWY_ATTR {
        for (std::int64_t o = 0; o < count; o += lanes<Acc>) {
            auto sum = hn::LoadU(d, from + o);
            unrolled<some - 1>([&](auto i) HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, from + o + i + 1)); });
            hn::StoreU(hn::Add(hn::LoadU(d, to + o), sum), d, to + o);
        }
    });
}

template <Join J, class Acc>
bool fold_row(const DoublingOrder& order, const Acc* from, std::int64_t count, Acc* to, Acc* scratch) {
    const std::int64_t behind = order.window - order.top;
    if constexpr (J == Join::larger) {
        if (!are_numbers(from, count + order.window - 1)) return false;
    }
    if (behind == 0) {
        parts_of<J, Put::part>(order.top, from, count, to, scratch);
    } else if (behind == 1) {
        parts_of<J, Put::with_single>(order.top, from, count, to, scratch);
    } else if constexpr (J != Join::sum) {
        parts_of<J, Put::part>(order.top, from, count + behind, scratch, scratch);
        join_rows<J>(scratch, scratch + behind, count, to);
    } else {
        parts_of<J, Put::part>(order.top, from, count, to, scratch);
        std::int64_t done = order.top;
        for (std::int64_t taps = order.top / 2; taps >= batch_rows; taps /= 2) {
            if (!order.has_part(taps)) continue;
            parts_of<J, Put::add>(taps, from + done, count, to, scratch);
            done += taps;
        }
        if (order.singles > 0) add_singles(order.singles, from + done, count, to);
    }
    return true;
}

bool fold_row_f32(Join join, const DoublingOrder& order, const float* from, std::int64_t count, float* to,
                  float* scratch) {
    return with_join(join, [&]<Join J>() HWY_ATTR { return fold_row<J>(order, from, count, to, scratch); });
}
bool fold_row_f64(Join join, const DoublingOrder& order, const double* from, std::int64_t count, double* to,
                  double* scratch) {
    return with_join(join, [&]<Join J>() HWY_ATTR { return fold_row<J>(order, from, count, to, scratch); });
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(fold_row_f32);
HWY_EXPORT(fold_row_f64);

bool fold_row_by_doubling(Join join, const DoublingOrder& order, const float* from, std::int64_t count,
                          float* to, float* scratch) {
    return HWY_DYNAMIC_DISPATCH(fold_row_f32)(join, order, from, count, to, scratch);
}
bool fold_row_by_doubling(Join join, const DoublingOrder& order, const double* from, std::int64_t count,
                          double* to, double* scratch) {
    return HWY_DYNAMIC_DISPATCH(fold_row_f64)(join, order, from, count, to, scratch);
}

}  // namespace iir2d::pool
#endif
