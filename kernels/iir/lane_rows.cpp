// SPDX-License-Identifier: MIT
#include "kernels/iir/lane_rows.h"

#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iir/lane_rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/iir/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::iir::HWY_NAMESPACE {
namespace {

template <class S>
HWY_INLINE void move(std::int64_t count, std::int64_t n, const LaneRows<const S>& rows,
                     const LaneRows<S>& to) {
    constexpr std::int64_t side = lanes<S>;
    constexpr std::int64_t line = 64 / sizeof(S);
    const Tag<S> d;
    const LaneRows<const S> from = rows;  // copies, which no store can change
    const LaneRows<S> out = to;
    const std::int64_t whole_n = n / line * line;
    const std::int64_t whole_count = count / side * side;
    // All of a cache line while it is there: rows of many planes agree in the bits that choose its place.
    for (std::int64_t i = 0; i < whole_n; i += line) {
        for (std::int64_t l = 0; l < whole_count; l += side) {
            for (std::int64_t k = i; k < i + line; k += side) {
                Vector<S> v[static_cast<std::size_t>(side)];
                unrolled<side>([&](auto r) { v[r] = hn::LoadU(d, from.at(l + r) + k); });
                transpose<S, side>(v);
                unrolled<side>([&](auto r) { hn::StoreU(v[r], d, out.at(k + r) + l); });
            }
        }
    }
    const auto one_by_one = [&](std::int64_t first_i, std::int64_t first_l, std::int64_t last_l) {
        for (std::int64_t i = first_i; i < n; ++i) {
            for (std::int64_t l = first_l; l < last_l; ++l) out.at(i)[l] = from.at(l)[i];
        }
    };
    one_by_one(whole_n, 0, whole_count);
    one_by_one(0, whole_count, count);
}

void move_f32(std::int64_t count, std::int64_t n, const LaneRows<const float>& from,
              const LaneRows<float>& to) {
    move(count, n, from, to);
}
void move_f64(std::int64_t count, std::int64_t n, const LaneRows<const double>& from,
              const LaneRows<double>& to) {
    move(count, n, from, to);
}

}  // namespace
}  // namespace iir2d::iir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::iir {

HWY_EXPORT(move_f32);
HWY_EXPORT(move_f64);

void rows_to_lanes(std::int64_t lanes, std::int64_t n, const LaneRows<const float>& from,
                   const LaneRows<float>& to) {
    HWY_DYNAMIC_DISPATCH(move_f32)(lanes, n, from, to);
}
void rows_to_lanes(std::int64_t lanes, std::int64_t n, const LaneRows<const double>& from,
                   const LaneRows<double>& to) {
    HWY_DYNAMIC_DISPATCH(move_f64)(lanes, n, from, to);
}

}  // namespace iir2d::iir
#endif
