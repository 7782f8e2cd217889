// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/argmax.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/argmax.h"

#include "kernels/pool/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

template <class T, class Index>
HWY_FLATTEN void fold_argmax_rows(std::span<const IndexedRowOf<T, Index>> rows, std::int64_t count,
                                  const IndexedOutputOf<T, Index>& to) {
    const WideTag<T> d;
    const WideTag<Index> di;
    static_assert(wide_lanes<T> <= row_slack);
    const auto moved = [&](const Index* from, Index add, std::int64_t o)
                           HWY_ATTR { return hn::Add(hn::LoadU(di, from + o), hn::Set(di, add)); };
    for (std::int64_t o = 0; o < count; o += wide_lanes<T>) {
        auto best = hn::LoadU(d, rows[0].values + o);
        auto column = moved(rows[0].columns, rows[0].add_to_columns, o);
        auto row = moved(rows[0].rows, rows[0].add_to_rows, o);
        for (std::size_t r = 1; r < rows.size(); ++r) {
            const IndexedRowOf<T, Index>& later = rows[r];
            const auto v = hn::LoadU(d, later.values + o);
            const auto stay = stays(best, v);
            const auto stay_indices = hn::RebindMask(di, stay);
            best = hn::IfThenElse(stay, best, v);
            column = hn::IfThenElse(stay_indices, column, moved(later.columns, later.add_to_columns, o));
            row = hn::IfThenElse(stay_indices, row, moved(later.rows, later.add_to_rows, o));
        }
        hn::StoreU(best, d, to.values + o);
        hn::StoreU(column, di, to.columns + o);
        hn::StoreU(row, di, to.rows + o);
    }
}

void fold_argmax_f32(std::span<const IndexedRowOf<float, std::int32_t>> rows, std::int64_t count,
                     const IndexedOutputOf<float, std::int32_t>& to) {
    fold_argmax_rows(rows, count, to);
}
void fold_argmax_f64(std::span<const IndexedRowOf<double, std::int64_t>> rows, std::int64_t count,
                     const IndexedOutputOf<double, std::int64_t>& to) {
    fold_argmax_rows(rows, count, to);
}

template <int Taps, int Stride>
HWY_FLATTEN void pool_argmax(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices) {
    for (std::int64_t oy = 0; oy < out.rows; ++oy) {
        const float* first = windows.first + oy * windows.below_distance;
        const std::int64_t first_index = indices.first_index + oy * indices.below_indices;
        std::int64_t* to = indices.to + oy * indices.row_stride;
        const OutputRow row = row_of(out, oy);
        for_outputs<float>(
            row.to, row.count, row.non_temporal, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
                constexpr std::int64_t n = lanes_of<decltype(d)>;
                const hn::Rebind<std::int32_t, decltype(d)> di;
                const float* top = first + o * Stride;
                auto best = load_tap<0, Stride, n>(d, top);
                auto index = hn::Set(di, 0);
                const auto challenge = [&](const auto& v, std::int64_t at) HWY_ATTR {
                    const auto stay = stays(best, v);
                    best = hn::IfThenElse(stay, best, v);
                    index = hn::IfThenElse(hn::RebindMask(di, stay), index,
                                           hn::Set(di, static_cast<std::int32_t>(at)));
                };
                if constexpr (Taps > 1) challenge(load_tap<1, Stride, n>(d, top), 1);
                if constexpr (Taps > 2) challenge(load_tap<2, Stride, n>(d, top), 2);
                for (std::int64_t r = 1; r < windows.rows; ++r) {
                    const float* from = top + r * windows.row_distance;
                    challenge(load_tap<0, Stride, n>(d, from), r * indices.row_indices);
                    if constexpr (Taps > 1)
                        challenge(load_tap<1, Stride, n>(d, from), r * indices.row_indices + 1);
                    if constexpr (Taps > 2)
                        challenge(load_tap<2, Stride, n>(d, from), r * indices.row_indices + 2);
                }
                if constexpr (Stride == 2 && n > 1) {
                    best = in_order(d, best);
                    index = in_order(di, index);
                }
                std::int32_t offsets[static_cast<std::size_t>(n)];
                hn::StoreU(index, di, offsets);
                for (std::int64_t i = 0; i < n; ++i) to[o + i] = first_index + (o + i) * Stride + offsets[i];
                return finish<Formula::max>(d, best, row, o, stream);
            });
    }
}

void pool_argmax_for_target(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices) {
    with_taps(windows,
              [&]<int Taps, int Stride>() HWY_ATTR { pool_argmax<Taps, Stride>(windows, out, indices); });
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(pool_argmax_for_target);
HWY_EXPORT(fold_argmax_f32);
HWY_EXPORT(fold_argmax_f64);

void pool_windows_argmax(const WindowRows& windows, const OutputRows& out, const WindowIndices& indices) {
    HWY_DYNAMIC_DISPATCH(pool_argmax_for_target)(windows, out, indices);
}
void fold_argmax(std::span<const IndexedRowOf<float, std::int32_t>> rows, std::int64_t count,
                 const IndexedOutputOf<float, std::int32_t>& to) {
    HWY_DYNAMIC_DISPATCH(fold_argmax_f32)(rows, count, to);
}
void fold_argmax(std::span<const IndexedRowOf<double, std::int64_t>> rows, std::int64_t count,
                 const IndexedOutputOf<double, std::int64_t>& to) {
    HWY_DYNAMIC_DISPATCH(fold_argmax_f64)(rows, count, to);
}

}  // namespace iir2d::pool
#endif
