// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/argmax_gradient.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/argmax_gradient.h"

#include "kernels/support/lanes-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using namespace support::HWY_NAMESPACE;

std::int64_t lanes_for_target() {
    return wide_lanes<float>;
}

HWY_FLATTEN void place_argmax_for_target(const std::int64_t* argmax, std::int64_t count, std::int64_t from,
                                         std::int32_t* to) {
    constexpr std::int64_t n = wide_lanes<std::int64_t>;
    const auto place = [&](auto d, std::int64_t o) HWY_ATTR {
        const hn::Rebind<std::int64_t, decltype(d)> wide;
        const hn::Rebind<std::uint64_t, decltype(d)> wide_unsigned;
        // Without a sign, so that negative differences are the largest.
        const auto apart = hn::Sub(hn::BitCast(wide_unsigned, hn::LoadU(wide, argmax + o)),
                                   hn::Set(wide_unsigned, static_cast<std::uint64_t>(from)));
        return hn::TruncateTo(d, hn::Min(apart, hn::Set(wide_unsigned, std::uint64_t{1} << 31U)));
    };
    const Tag<std::uint32_t, n> half;
    const Tag<std::uint32_t, 2 * n> whole;
    auto* const places = reinterpret_cast<std::uint32_t*>(to);
    std::int64_t o = 0;
    // Stored in vectors as long as they are loaded in: a store is forwarded to a load that it covers.
    for (; o + 2 * n <= count; o += 2 * n)
        hn::StoreU(hn::Combine(whole, place(half, o + n), place(half, o)), whole, places + o);
    const Tag<std::uint32_t, 1> one;
    for (; o < count; ++o) hn::StoreU(place(one, o), one, places + o);
}

// Adds to `sum` the gradients of the `Windows` windows up to the one at `last` that have these places.
template <int Windows, class D>
HWY_INLINE hn::Vec<D> take(D d, hn::Vec<D> sum, const PlacedWindows& row, std::int64_t last,
                           const hn::Vec<hn::Rebind<std::int32_t, D>>& places) {
    const hn::Rebind<std::int32_t, D> di;
    unrolled<Windows>([&](auto at) HWY_ATTR {
        const std::int64_t o = last - (Windows - 1) + at;
        const auto here = hn::Eq(hn::LoadU(di, row.places + o), places);
        sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(d, here), hn::LoadU(d, row.dy + o)));
    });
    return sum;
}

// The even taps of all windows are every second element, the odd ones those between.
template <int Taps>
HWY_FLATTEN void take_by_two(const AxisWindows& x, const IndexRange& elements,
                             std::span<const PlacedWindows> rows, const Ahead& ahead, float* to) {
    constexpr std::int64_t n = wide_lanes<float>;
    const WideTag<float> d;
    const WideTag<std::int32_t> di;
    const std::int64_t skipped = (elements.begin + x.padding) / 2;  // windows
    const std::int64_t start = 2 * skipped - x.padding;             // an even tap, of the next
    const auto lane = hn::Iota(di, 0);
    const auto every_second = hn::Add(lane, lane);
    for (std::int64_t i = start; i < elements.end; i += 2 * n) {
        const std::int64_t last = (i + x.padding) / 2;
        auto evens = hn::Zero(d);
        auto odds = hn::Zero(d);
        for (const PlacedWindows& row : rows) {
            const auto places = hn::Add(every_second, hn::Set(di, row.first + static_cast<std::int32_t>(i)));
            evens = take<(Taps + 1) / 2>(d, evens, row, last, places);
            odds = take<Taps / 2>(d, odds, row, last, hn::Add(places, hn::Set(di, 1)));
        }
        hn::StoreInterleaved2(evens, odds, d, to + i);
        if (ahead.argmax != nullptr) {
            const std::int64_t o = i / (2 * ahead.rows);
            support::prefetch(ahead.argmax + o);
            support::prefetch(ahead.dy, o * ahead.dy_bytes);
        }
    }
}

void take_gradients_for_target(const AxisWindows& x, const IndexRange& elements,
                               std::span<const PlacedWindows> rows, const Ahead& ahead, float* to) {
    if (x.window == 2) return take_by_two<2>(x, elements, rows, ahead, to);
    take_by_two<3>(x, elements, rows, ahead, to);
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(lanes_for_target);
HWY_EXPORT(place_argmax_for_target);
HWY_EXPORT(take_gradients_for_target);

std::int64_t gradient_lanes() {
    return HWY_DYNAMIC_DISPATCH(lanes_for_target)();
}
void place_argmax(const std::int64_t* argmax, std::int64_t count, std::int64_t from, std::int32_t* to) {
    HWY_DYNAMIC_DISPATCH(place_argmax_for_target)(argmax, count, from, to);
}
void take_gradients(const AxisWindows& x, const IndexRange& elements, std::span<const PlacedWindows> rows,
                    const Ahead& ahead, float* to) {
    HWY_DYNAMIC_DISPATCH(take_gradients_for_target)(x, elements, rows, ahead, to);
}

}  // namespace iir2d::pool
#endif
