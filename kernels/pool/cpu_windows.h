// SPDX-License-Identifier: MIT
// Windows of at most three neighbouring columns and rows: from the rows of the input to an output row at
// once.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/pool/cpu_job.h"

namespace iir2d::pool {

inline constexpr std::int64_t largest_small_window = 3;

// For windows that pool_windows() has loops for.
inline bool are_small_windows(const PoolGeometry& geometry, Formula formula) {
    const AxisWindows& x = geometry.x;
    return formula != Formula::power && x.window >= 2 && x.window <= largest_small_window && x.stride <= 2 &&
           x.dilation == 1 && geometry.y.window <= largest_small_window;
}

class SmallWindows {
  public:
    explicit SmallWindows(const CpuJob& job) : m_job(job), m_x(job.geometry.x) {
        const std::int64_t begin = m_x.windows_with_tap(0).begin;
        m_whole = {begin, std::max(begin, m_x.windows_with_tap(m_x.window - 1).end)};
    }

    void pool(const Block& block) const {
        for (std::int64_t oy = block.rows.begin; oy < block.rows.end; ++oy) {
            const Taps taps = m_job.geometry.y.taps(oy);
            const std::int64_t left =
                std::min(std::max(block.columns.begin, m_whole.begin), block.columns.end);
            const std::int64_t right = std::max(left, std::min(block.columns.end, m_whole.end));
            for (std::int64_t o = block.columns.begin; o < left; ++o)
                pool_part(block.plane, oy, taps, {o, o + 1});
            if (left < right) pool_part(block.plane, oy, taps, {left, right});
            for (std::int64_t o = right; o < block.columns.end; ++o)
                pool_part(block.plane, oy, taps, {o, o + 1});
        }
    }

  private:
    // Whole windows, or a single one that is cut.
    void pool_part(std::int64_t plane, std::int64_t oy, const Taps& row_taps, IndexRange columns) const {
        const Taps taps = m_x.taps(columns.begin);
        OutputRow<float> out{.to = m_job.y.row(plane, oy) + columns.begin,
                             .count = columns.end - columns.begin,
                             .formula = m_job.kernel.formula,
                             .divisors = m_job.divisors(oy, columns.begin),
                             .past_caches = m_job.past_caches};
        if (row_taps.count == 0) {  // dilation stepped over the whole input
            std::fill_n(out.to, out.count,
                        is_max(out.formula) ? -std::numeric_limits<float>::infinity()
                                            : 0.0F / static_cast<float>(out.divisors.rows));
            if (m_job.argmax != nullptr)
                std::fill_n(m_job.indices(plane, oy, columns.begin), out.count, std::int64_t{-1});
            return;
        }
        std::array<const float*, largest_small_window> rows{};
        for (std::int64_t r = 0; r < row_taps.count; ++r) {
            rows[static_cast<std::size_t>(r)] =
                m_job.x.row(plane, row_taps.first + r * row_taps.step) + taps.first;
        }
        const std::span<const float* const> used(rows.data(), static_cast<std::size_t>(row_taps.count));
        const auto tap_count = static_cast<int>(taps.count);
        const int stride = tap_count == 1 ? 1 : static_cast<int>(m_x.stride);
        if (m_job.argmax != nullptr) {
            const std::int64_t width = m_job.geometry.input.w;
            pool_windows_placed(used, tap_count, stride, out, row_taps.first * width + taps.first,
                                row_taps.step * width, m_job.indices(plane, oy, columns.begin));
            return;
        }
        if (pool_windows<float>(used, tap_count, stride, out)) return;
        out.only_nan = true;
        out.past_caches = false;
        pool_windows<double>(used, tap_count, stride, out);
    }

    const CpuJob& m_job;
    AxisWindows m_x;
    IndexRange m_whole;  // windows of which no column is cut
};

}  // namespace iir2d::pool
