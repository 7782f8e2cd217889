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
class AvgScatter : public RowByRow<AvgScatter> {
  public:
    explicit AvgScatter(const Job<float>& job)
        : m_job(job),
          m_x(job.geometry.x),
          m_length(row_distance<float>(m_x.in + m_x.padding + 2 * row_slack)),
          m_shares(static_cast<std::size_t>(m_x.window + std::max(m_x.out, m_length / m_x.stride) +
                                            4 * row_slack)),
          m_ring(transposed(job.geometry.y), static_cast<std::size_t>(m_length) * sizeof(float)),
          m_scattered(m_ring.slots() * static_cast<std::size_t>(m_length) + row_slack) {
        if (job.desc.divisor_override) return;
        for (std::int64_t o = 0; o < m_x.out; ++o)
            m_counts.push_back(static_cast<std::int32_t>(count(m_x, o)));
    }

    void make_row(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& axis = m_job.geometry.y;
        const auto row = [&](std::int64_t oy) { return scattered_row(plane, oy); };
        float* const to = m_job.dx.row(plane, iy);
        if (collect_rows(axis, iy, m_ring, m_rows, row))
            add_rows(m_rows, m_x.in, m_job.non_temporal, to);
        else
            add_one_by_one<float>(axis, iy, {to, static_cast<std::size_t>(m_x.in)}, row);
    }

  private:
    const float* scattered_row(std::int64_t plane, std::int64_t oy) {
        const RowRing::Slot slot = m_ring.take(plane, m_job.geometry.y.out, oy);
        float* const scattered =
            at_cache_line(m_scattered.data()) + static_cast<std::int64_t>(slot.index) * m_length;
        if (!slot.holds_row) {
            float* const shares = at_cache_line(m_shares.data() + m_x.window);
            make_shares(m_job.dy.row(plane, oy), m_x.out, divisors(oy), shares);
            scatter_shares(m_x.window, m_x.stride, shares, m_x.in + m_x.padding, scattered);
        }
        return scattered + m_x.padding;
    }

    Divisors divisors(std::int64_t oy) const {
        if (m_job.desc.divisor_override) return {static_cast<double>(*m_job.desc.divisor_override), nullptr};
        return {static_cast<double>(count(m_job.geometry.y, oy)), m_counts.data()};
    }
    std::int64_t count(const AxisWindows& along, std::int64_t o) const {
        return m_job.desc.count_include_pad ? along.padded_count(o)
                                            : std::max<std::int64_t>(along.taps(o).count, 1);
    }

    Job<float> m_job;
    AxisWindows m_x;
    std::int64_t m_length;        // of a scattered row, padding before it and slack behind it
    std::vector<float> m_shares;  // zeros before and behind
    RowRing m_ring;
    std::vector<float> m_scattered;  // of the rows in the ring
    std::vector<std::int32_t> m_counts;
    std::vector<const float*> m_rows;
};

}  // namespace iir2d::pool
