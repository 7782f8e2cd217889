// SPDX-License-Identifier: MIT
// Gradients of lp in f32, f16 and bf16, in vectors: for what scatters_norms(). The gradient of an element is
// the product of a term of its own and the sum of its windows' shares, which a row of windows is scattered to
// once.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/pool/backward_job.h"
#include "kernels/pool/backward_scatter.h"
#include "kernels/pool/powers.h"
#include "kernels/pool/scatter.h"
#include "kernels/support/element_rows.h"

namespace iir2d::pool {

template <class T>
class NormScatter : public RowByRow<NormScatter<T>> {
  public:
    explicit NormScatter(const Job<T>& job)
        : m_job(job),
          m_x(job.geometry.x),
          m_length(m_x.in + 3 * row_slack),
          m_near(m_x.dilation == 1 && m_x.stride <= longest_scatter_stride),
          m_shares(static_cast<std::size_t>(m_x.window + std::max(m_x.out, m_length / m_x.stride) +
                                            3 * row_slack)),
          m_ring(transposed(job.geometry.y), static_cast<std::size_t>(m_length) * sizeof(double)),
          m_scattered(m_ring.slots() * static_cast<std::size_t>(m_length)),
          m_sums(static_cast<std::size_t>(m_length)) {
        if constexpr (is_narrow) {
            m_wide[0].resize(static_cast<std::size_t>(std::max(m_x.in, m_x.out)));
            m_wide[1].resize(static_cast<std::size_t>(m_x.out));
            m_made.resize(static_cast<std::size_t>(m_x.in));
        }
        if (m_near) return;
        // The same for every row; finding them takes divisions.
        for (std::int64_t o = 0; o < m_x.out; ++o) m_taps.push_back(m_x.taps(o));
    }

    void make_row(std::int64_t plane, std::int64_t iy) {
        add_up(plane, iy);
        const float* const x = wide(m_job.x.row(plane, iy), m_x.in, 0);
        T* const to = m_job.dx.row(plane, iy);
        if constexpr (is_narrow) {
            make_norm_gradients(m_job.desc.p, x, m_sums.data(), m_x.in, m_made.data());
            store_row(m_made.data(), m_x.in, to);  // rounded once
        } else {
            make_norm_gradients(m_job.desc.p, x, m_sums.data(), m_x.in, to);
        }
    }

  private:
    static constexpr bool is_narrow = sizeof(T) < sizeof(float);

    void add_up(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& axis = m_job.geometry.y;
        const auto row = [&](std::int64_t oy) { return scattered_row(plane, oy); };
        if (collect_rows(axis, axis.windows_near(iy), iy, m_ring, m_rows, row))
            add_rows(m_rows, m_x.in, m_sums.data());
        else
            add_one_by_one<double>(axis, iy, {m_sums.data(), static_cast<std::size_t>(m_x.in)}, row);
    }

    const double* scattered_row(std::int64_t plane, std::int64_t oy) {
        const RowRing::Slot slot = m_ring.take(plane, m_job.geometry.y.out, oy);
        double* const scattered = m_scattered.data() + static_cast<std::int64_t>(slot.index) * m_length;
        if (slot.holds_row) return scattered;
        double* const shares = m_shares.data() + m_x.window;
        make_norm_shares(m_job.desc.p, wide(m_job.dy.row(plane, oy), m_x.out, 0),
                         wide(m_job.y.row(plane, oy), m_x.out, 1), m_x.out, shares);
        if (m_near) {
            scatter_shares(m_x.window, m_x.stride, shares, m_x.in, scattered);
            return scattered;
        }
        std::fill_n(scattered, m_x.in, 0.0);
        for (std::int64_t o = 0; o < m_x.out; ++o) {
            const Taps taps = m_taps[static_cast<std::size_t>(o)];
            double* const to = scattered + taps.first;
            for (std::int64_t k = 0; k < taps.count; ++k) to[k * taps.step] += shares[o];
        }
        return scattered;
    }

    // Widens elements of 16 bits to one of two rows of floats.
    const float* wide(const T* row, std::int64_t count, std::size_t which) {
        if constexpr (is_narrow) {
            widen_row(row, count, m_wide[which].data());
            return m_wide[which].data();
        } else {
            static_cast<void>(count);
            static_cast<void>(which);
            return row;
        }
    }

    Job<T> m_job;
    AxisWindows m_x;
    std::int64_t m_length;         // of a scattered row, slack behind it
    bool m_near;                   // windows of neighbouring columns, which vectors scatter
    std::vector<double> m_shares;  // zeros before and behind
    RowRing m_ring;
    std::vector<double> m_scattered;  // of the rows in the ring
    std::vector<double> m_sums;
    std::vector<Taps> m_taps;
    std::vector<float> m_wide[2];
    std::vector<double> m_made;
    std::vector<const double*> m_rows;
};

}  // namespace iir2d::pool
