// SPDX-License-Identifier: MIT
#if defined(IIR2D_HAVE_HIGHWAY)
#include "kernels/support/highway_targets.h"
// Then this one, before other headers of Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/small_windows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#else
#include "kernels/support/plain_vectors.h"
#endif

#include "kernels/pool/taps-inl.h"
#include "kernels/support/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace iir2d::pool::HWY_NAMESPACE {
namespace {

// Prefetches what later vectors of a row will read: a page ahead where rows come from memory, eight cache
// lines ahead where they come from a cache.
template <int Stride, std::int64_t N>
HWY_INLINE void prefetch_ahead(const float* from, bool from_memory) {
    constexpr std::int64_t line = 64;
    const std::int64_t ahead = from_memory ? support::page_bytes : 8 * line;
    constexpr std::int64_t read = N * Stride * static_cast<std::int64_t>(sizeof(float));
    for (std::int64_t i = 0; i < read; i += line) support::prefetch(from, ahead + i);
}

// One output row; Rows: how many there are, 0 when that is not known here.
template <Formula F, int Rows, int Taps, int Stride, class Acc, class Row>
HWY_INLINE bool pool_row(const Row& row_of, std::size_t row_count, const OutputRow& out) {
    return for_outputs<Acc>(
        out.to, out.count, out.non_temporal, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
            constexpr std::int64_t n = lanes_of<decltype(d)>;
            const std::size_t rows = Rows > 0 ? Rows : row_count;
            if (stream) {
                // Windows before have read the rows above these.
                for (std::size_t r = rows - std::min<std::size_t>(rows, 2); r < rows; ++r)
                    prefetch_ahead<Stride, n>(row_of(r) + o * Stride, true);
            }
            const auto put = [&](const auto& folded) HWY_ATTR {
                return finish<F>(d, Stride == 2 && n > 1 ? in_order(d, folded) : folded, out, o, stream);
            };
            if constexpr (is_max(F)) {
                auto sum = hn::Zero(d);
                auto folded = fold_number_taps<F, Taps, Stride, n>(d, row_of(0) + o * Stride, sum);
                for (std::size_t r = 1; r < rows; ++r) {
                    folded =
                        larger(folded, fold_number_taps<F, Taps, Stride, n>(d, row_of(r) + o * Stride, sum));
                }
                if (hn::AllTrue(d, hn::Le(sum, sum))) return put(folded);
            }
            auto folded = fold_taps<F, Taps, Stride, n>(d, row_of(0) + o * Stride);
            for (std::size_t r = 1; r < rows; ++r) {
                folded = join<is_max(F)>(folded, fold_taps<F, Taps, Stride, n>(d, row_of(r) + o * Stride));
            }
            return put(folded);
        });
}

// Several output rows at once, of windows of three rows that are Below apart: rows that windows share are
// folded once.
template <Formula F, int Taps, int Stride, int Below, int Joint>
HWY_INLINE bool pool_joint_rows(const WindowRows& windows, const OutputRows& out, std::int64_t oy) {
    constexpr int window_rows = 3;
    constexpr int rows = window_rows + (Joint - 1) * Below;
    const float* first = windows.first + oy * windows.below_distance;
    const std::int64_t distance = windows.row_distance;
    OutputRow outs[static_cast<std::size_t>(Joint)];
    for (int j = 0; j < Joint; ++j) outs[j] = row_of(out, oy + j);
    return for_outputs<float>(
        outs[0].to, out.count, out.non_temporal, [&](auto d, std::int64_t o, bool stream) HWY_ATTR {
            constexpr std::int64_t n = lanes_of<decltype(d)>;
            hn::Vec<decltype(d)> folded[static_cast<std::size_t>(rows)];
            if (stream || Stride == 1) {
                for (int r = rows - Joint * Below; r < rows; ++r)
                    prefetch_ahead<Stride, n>(first + r * distance + o * Stride, stream);
            }
            const auto put = [&](const auto& fold_two) HWY_ATTR {
                auto good = all_true(d);
                for (int j = 0; j < Joint; ++j) {
                    const auto* of = folded + j * Below;
                    const auto window = fold_two(fold_two(of[0], of[1]), of[2]);
                    good = hn::And(good, finish<F>(d, Stride == 2 && n > 1 ? in_order(d, window) : window,
                                                   outs[j], o, stream));
                }
                return good;
            };
            if constexpr (is_max(F)) {
                auto sum = hn::Zero(d);
                for (int r = 0; r < rows; ++r) {
                    folded[r] =
                        fold_number_taps<F, Taps, Stride, n>(d, first + r * distance + o * Stride, sum);
                }
                if (hn::AllTrue(d, hn::Le(sum, sum)))
                    return put([](const auto& a, const auto& b) HWY_ATTR { return larger(a, b); });
            }
            for (int r = 0; r < rows; ++r) {
                folded[r] = fold_taps<F, Taps, Stride, n>(d, first + r * distance + o * Stride);
            }
            return put([](const auto& a, const auto& b) HWY_ATTR { return join<is_max(F)>(a, b); });
        });
}

// An output row again, of sums that float cannot hold, in double. Never inlined: it is rare, and it would be
// compiled again for each call.
template <Formula F, int Taps, int Stride>
HWY_NOINLINE void pool_row_in_double(const WindowRows& windows, const OutputRows& out, std::int64_t oy) {
    OutputRow row = row_of(out, oy);
    row.non_temporal = false;
    row.only_nan = true;
    const float* first = windows.first + oy * windows.below_distance;
    pool_row<F, 0, Taps, Stride, double>(
        [&](std::size_t r) { return first + static_cast<std::int64_t>(r) * windows.row_distance; },
        static_cast<std::size_t>(windows.rows), row);
}

template <Formula F, int Taps, int Stride>
HWY_FLATTEN void pool_windows_of(const WindowRows& windows, const OutputRows& out) {
    const auto rows_at = [&](std::int64_t oy) {
        return [&, first = windows.first + oy * windows.below_distance](std::size_t r) {
            return first + static_cast<std::int64_t>(r) * windows.row_distance;
        };
    };
    const auto count = static_cast<std::size_t>(windows.rows);
    const auto again_in_double = [&](std::int64_t oy) HWY_ATTR {
        if constexpr (!is_max(F)) pool_row_in_double<F, Taps, Stride>(windows, out, oy);
    };
    std::int64_t oy = 0;
    if constexpr (Taps == 3) {
        constexpr int joint = 2;
        const std::int64_t vector = ends_within_vector<float>(out.count) ? lanes<float> : wide_lanes<float>;
        const bool aligned_alike = !out.non_temporal || out.row_stride % vector == 0;
        const std::int64_t below = windows.below_distance / windows.row_distance;
        const bool square = windows.rows == 3 && windows.below_distance % windows.row_distance == 0;
        for (; square && aligned_alike && (below == 1 || below == 2) && oy + joint <= out.rows; oy += joint) {
            const bool good = below == 1 ? pool_joint_rows<F, Taps, Stride, 1, joint>(windows, out, oy)
                                         : pool_joint_rows<F, Taps, Stride, 2, joint>(windows, out, oy);
            for (std::int64_t j = 0; !good && j < joint; ++j) again_in_double(oy + j);
        }
    }
    for (; oy < out.rows; ++oy) {
        // Square windows are the usual ones.
        const bool good = Taps > 1 && windows.rows == Taps
                              ? pool_row<F, Taps, Taps, Stride, float>(rows_at(oy), count, row_of(out, oy))
                              : pool_row<F, 0, Taps, Stride, float>(rows_at(oy), count, row_of(out, oy));
        if (!good) again_in_double(oy);
    }
}

void pool_windows_for_target(const WindowRows& windows, const OutputRows& out) {
    with_formula(out.formula, [&]<Formula F>() HWY_ATTR {
        with_taps(windows,
                  [&]<int Taps, int Stride>() HWY_ATTR { pool_windows_of<F, Taps, Stride>(windows, out); });
    });
}

}  // namespace
}  // namespace iir2d::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace iir2d::pool {

HWY_EXPORT(pool_windows_for_target);

void pool_windows(const WindowRows& windows, const OutputRows& out) {
    HWY_DYNAMIC_DISPATCH(pool_windows_for_target)(windows, out);
}

}  // namespace iir2d::pool
#endif
