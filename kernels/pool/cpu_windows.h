// SPDX-License-Identifier: MIT
// Pools windows of at most three neighbouring columns and rows: from the rows of the input to an output row
// at once.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/pool/argmax.h"
#include "kernels/pool/cpu_job.h"

namespace iir2d::pool {

inline constexpr std::int64_t largest_small_window = 3;

// Returns whether pool_windows() has loops for the windows.
inline bool are_small_windows(const PoolGeometry& geometry, Formula formula) {
    const AxisWindows& x = geometry.x;
    return formula != Formula::power && !x.adaptive && x.window >= 2 && x.window <= largest_small_window &&
           x.stride <= 2 && x.dilation == 1 && geometry.y.window <= largest_small_window;
}

class SmallWindows {
  public:
    explicit SmallWindows(const CpuJob<float>& job)
        : m_job(job),
          m_whole_rows(whole_windows(job.geometry.y)),
          m_whole_columns(whole_windows(job.geometry.x)) {}

    void pool(const Block& block) const {
        const IndexRange rows = within(m_whole_rows, block.rows);
        for (std::int64_t oy = block.rows.begin; oy < rows.begin; ++oy) pool_rows(block, {oy, oy + 1});
        if (!rows.empty()) pool_rows(block, rows);
        for (std::int64_t oy = rows.end; oy < block.rows.end; ++oy) pool_rows(block, {oy, oy + 1});
    }

  private:
    static IndexRange within(const IndexRange& range, const IndexRange& limits) {
        const std::int64_t begin = std::clamp(range.begin, limits.begin, limits.end);
        return {begin, std::clamp(range.end, begin, limits.end)};
    }

    // Pools rows of whole windows, or a single one that is cut.
    void pool_rows(const Block& block, const IndexRange& rows) const {
        const IndexRange columns = within(m_whole_columns, block.columns);
        for (std::int64_t ox = block.columns.begin; ox < columns.begin; ++ox)
            pool_part({block.plane, rows, {ox, ox + 1}});
        if (!columns.empty()) pool_part({block.plane, rows, columns});
        for (std::int64_t ox = columns.end; ox < block.columns.end; ++ox)
            pool_part({block.plane, rows, {ox, ox + 1}});
    }

    // Pools columns of whole windows, or a single one that is cut.
    void pool_part(const Block& part) const {
        const AxisWindows& y = m_job.geometry.y;
        const AxisWindows& x = m_job.geometry.x;
        const std::int64_t oy = part.rows.begin;
        const std::int64_t ox = part.columns.begin;
        const Taps rows = y.taps(oy);
        const Taps columns = x.taps(ox);
        const OutputRows out{.to = m_job.y.row(part.plane, oy) + ox,
                             .row_stride = m_job.y.row_stride,
                             .rows = part.rows.end - oy,
                             .count = part.columns.end - ox,
                             .formula = m_job.kernel.formula,
                             .divisor = m_job.divisor(oy, ox),
                             .non_temporal = m_job.non_temporal};
        if (rows.count == 0) return write_nothing(part, out);
        const WindowRows windows{.first = m_job.x.row(part.plane, rows.first) + columns.first,
                                 .row_distance = y.dilation * m_job.x.row_stride,
                                 .below_distance = y.stride * m_job.x.row_stride,
                                 .rows = static_cast<int>(rows.count),
                                 .taps = static_cast<int>(columns.count),
                                 .stride = columns.count == 1 ? 1 : static_cast<int>(x.stride)};
        if (m_job.argmax == nullptr) return pool_windows(windows, out);
        const std::int64_t width = m_job.geometry.input.w;
        pool_windows_argmax(windows, out,
                            {.to = m_job.indices(part.plane, oy, ox),
                             .row_stride = x.out,
                             .first_index = rows.first * width + columns.first,
                             .row_indices = y.dilation * width,
                             .below_indices = y.stride * width});
    }

    // Writes outputs of empty windows, where dilation stepped over the whole input.
    void write_nothing(const Block& part, const OutputRows& out) const {
        std::fill_n(out.to, out.count,
                    is_max(out.formula) ? -std::numeric_limits<float>::infinity()
                                        : 0.0F / static_cast<float>(out.divisor));
        if (m_job.argmax == nullptr) return;
        std::fill_n(m_job.indices(part.plane, part.rows.begin, part.columns.begin), out.count,
                    std::int64_t{-1});
    }

    const CpuJob<float>& m_job;
    IndexRange m_whole_rows;
    IndexRange m_whole_columns;
};

}  // namespace iir2d::pool
