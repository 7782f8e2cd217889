// SPDX-License-Identifier: MIT
// Gradients of averages in f32, in vectors: as backward_scatter.h, and with its bits.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/pool/backward_job.h"
#include "kernels/pool/backward_scatter.h"
#include "kernels/pool/scatter.h"

namespace iir2d::pool {

// Scatters averages' gradients where scatters_in_vectors() holds.
class AvgScatter {
  public:
    explicit AvgScatter(const Job<float>& job)
        : m_job(job),
          m_x(job.geometry.x),
          m_ring(transposed(job.geometry.y), static_cast<std::size_t>(length_of_row()) * sizeof(float)),
          m_at_once(takes_one_step()),
          m_length(m_at_once ? length_of_shares() : length_of_row()),
          m_shares(m_at_once ? 0 : static_cast<std::size_t>(length_of_shares())),
          m_kept(m_ring.slots() * static_cast<std::size_t>(m_length) + row_slack) {
        if (job.desc.divisor_override) return;
        for (std::int64_t o = 0; o < m_x.out; ++o)
            m_counts.push_back(static_cast<std::int32_t>(count(m_x, o)));
        if (std::ranges::count(m_counts, m_counts.front()) == m_x.out) m_counts.resize(1);
    }

    // A few rows, so that a stop is soon noticed.
    std::int64_t chunk_rows() const { return std::clamp<std::int64_t>(65536 / m_x.in, 1, 16); }

    void make_rows(std::int64_t plane, const IndexRange& rows) {
        const AxisWindows& axis = m_job.geometry.y;
        const auto row = [&](std::int64_t oy) { return kept_row(plane, oy); };
        IndexRange near = axis.windows_near(rows.begin);
        IndexRange collected{-1, -1};  // whose rows are in m_rows
        for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
            move_on(axis, near, iy);
            float* const to = m_job.dx.row(plane, iy);
            const bool same =
                axis.dilation == 1 && near.begin == collected.begin && near.end == collected.end;
            if (!same && !collect_rows(axis, near, iy, m_ring, m_rows, row)) {
                add_one_by_one<float>(axis, iy, {to, static_cast<std::size_t>(m_x.in)}, row);
                continue;
            }
            collected = near;
            if (m_at_once && !m_rows.empty()) {
                scatter_and_add(m_x.window, m_rows, m_x.padding, m_x.in, m_job.non_temporal, to);
            } else {
                add_rows(m_rows, m_x.in, m_job.non_temporal, to);
            }
        }
    }

  private:
    // Returns the elements of a scattered row, padding before it and slack behind it.
    std::int64_t length_of_row() const { return row_distance<float>(m_x.in + m_x.padding + 2 * row_slack); }
    // Returns the elements of a row of shares, zeros before and behind them.
    std::int64_t length_of_shares() const {
        return row_distance<float>(m_x.window + std::max(m_x.out, length_of_row() / m_x.stride) +
                                   4 * row_slack);
    }

    // Returns whether rows of dx are made straight from shares, with nothing in memory between them.
    bool takes_one_step() const {
        const std::int64_t rows = m_job.geometry.y.most_windows_near();
        return scatters_at_once(m_x.window, m_x.stride, rows) &&
               rows <= static_cast<std::int64_t>(m_ring.slots()) &&
               (!m_job.non_temporal || fills_vectors(m_job.dx));
    }
    // Returns whether all rows are vectors of 32 bytes from the first element to the last.
    bool fills_vectors(const Planes<float>& dx) const {
        return m_x.in % 8 == 0 &&
               has_aligned_rows({dx.data, ElementType::f32, {}, dx.row_stride, dx.plane_stride});
    }

    // Returns the shares of a window row, or these scattered along x.
    const float* kept_row(std::int64_t plane, std::int64_t oy) {
        const RowRing::Slot slot = m_ring.take(plane, m_job.geometry.y.out, oy);
        float* const kept = at_cache_line(m_kept.data()) + static_cast<std::int64_t>(slot.index) * m_length;
        float* const shares = m_at_once ? kept + row_slack : at_cache_line(m_shares.data() + m_x.window);
        if (!slot.holds_row) {
            make_shares(m_job.dy.row(plane, oy), m_x.out, divisors(oy), shares);
            if (!m_at_once) scatter_shares(m_x.window, m_x.stride, shares, m_x.in + m_x.padding, kept);
        }
        return m_at_once ? shares : kept + m_x.padding;
    }

    Divisors divisors(std::int64_t oy) const {
        if (m_job.desc.divisor_override) return {static_cast<double>(*m_job.desc.divisor_override), nullptr};
        const auto rows = static_cast<double>(count(m_job.geometry.y, oy));
        if (m_counts.size() == 1) return {rows * m_counts.front(), nullptr};
        return {rows, m_counts.data()};
    }
    std::int64_t count(const AxisWindows& along, std::int64_t o) const {
        return m_job.desc.count_include_pad ? along.padded_count(o)
                                            : std::max<std::int64_t>(along.taps(o).count, 1);
    }

    Job<float> m_job;
    AxisWindows m_x;
    RowRing m_ring;
    bool m_at_once;
    std::int64_t m_length;               // of a kept row
    std::vector<float> m_shares;         // of the row that is scattered
    std::vector<float> m_kept;           // the rows in the ring
    std::vector<std::int32_t> m_counts;  // one where all are the same
    std::vector<const float*> m_rows;
};

}  // namespace iir2d::pool
