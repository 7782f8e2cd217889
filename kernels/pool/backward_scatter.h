// SPDX-License-Identifier: MIT
// Gradients of every op but max, in any element type: scattered along x and added up along y (averages, and
// the norm with p = 1), or a pair of element and window at a time.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/pool/backward_job.h"
#include "kernels/pool/gradient.h"
#include "kernels/pool/row_ring.h"

namespace iir2d::pool {

// Returns the window rows that an input row has, as the ring counts the input rows that a window has.
inline AxisWindows transposed(const AxisWindows& axis) {
    return {.in = axis.out, .out = axis.in, .window = axis.most_windows_near()};
}

// Advances `near`, the windows near a position before `i`, to those near `i`, without divisions.
inline void move_on(const AxisWindows& axis, IndexRange& near, std::int64_t i) {
    while (near.begin < axis.out && axis.start(near.begin) + axis.span() <= i) ++near.begin;
    while (near.end < axis.out && axis.start(near.end) <= i) ++near.end;
}

// Collects in `rows` what row(oy) gives for the windows that input row `iy` is in, in rising order; `near` is
// axis.windows_near(iy). Returns false where there are more and the ring keeps one row only, because memory
// is short.
template <class T>
bool collect_rows(const AxisWindows& axis, const IndexRange& near, std::int64_t iy, const RowRing& ring,
                  std::vector<const T*>& rows, const auto& row) {
    rows.clear();
    for (std::int64_t oy = near.begin; oy < near.end; ++oy) {
        if (!axis.has_tap(oy, iy)) continue;
        if (ring.slots() == 1 && rows.size() == 1) return false;
        rows.push_back(row(oy));
    }
    return true;
}

// Adds up those rows as they are made, in the same order.
template <class T>
void add_one_by_one(const AxisWindows& axis, std::int64_t iy, std::span<T> sums, const auto& row) {
    std::ranges::fill(sums, T(0));
    const IndexRange near = axis.windows_near(iy);
    for (std::int64_t oy = near.begin; oy < near.end; ++oy) {
        if (!axis.has_tap(oy, iy)) continue;
        const T* const scattered = row(oy);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += scattered[i];
    }
}

// Gradients that are the product of a term of the element and a sum of its windows' terms: those of a window
// row are scattered along x once and then added up along y, windows in rising order both times.
template <class T, class Acc, GradientOp Op>
class ScatterKernel : public RowByRow<ScatterKernel<T, Acc, Op>> {
  public:
    explicit ScatterKernel(const Job<T>& job)
        : m_job(job),
          m_sums(static_cast<std::size_t>(job.geometry.x.in)),
          m_shares(static_cast<std::size_t>(job.geometry.x.out)),
          m_ring(transposed(job.geometry.y), m_sums.size() * sizeof(Acc)),
          m_scattered(m_ring.slots() * m_sums.size()) {
        // The same for every row; finding them takes divisions.
        const AxisWindows& axis = job.geometry.x;
        for (std::int64_t o = 0; o < axis.out; ++o) m_taps.push_back(axis.taps(o));
        if (Op != GradientOp::avg || job.desc.divisor_override) return;
        for (std::int64_t o = 0; o < axis.out; ++o)
            m_counts.push_back(count(axis, o, m_taps[static_cast<std::size_t>(o)]));
    }

    void make_row(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& axis = m_job.geometry.y;
        add_one_by_one<Acc>(axis, iy, m_sums, [&](std::int64_t oy) {
            const RowRing::Slot slot = m_ring.take(plane, axis.out, oy);
            Acc* const scattered = m_scattered.data() + slot.index * m_sums.size();
            if (!slot.holds_row) scatter_row(plane, oy, scattered);
            return scattered;
        });
        T* out = m_job.dx.row(plane, iy);
        for (std::size_t i = 0; i < m_sums.size(); ++i) out[i] = element::store<T>(gradient(plane, iy, i));
    }

  private:
    Acc gradient(std::int64_t plane, std::int64_t iy, std::size_t i) const {
        if constexpr (Op == GradientOp::lp1) return lp1_gradient(x_at(plane, iy, i), m_sums[i]);
        return m_sums[i];
    }
    Acc x_at(std::int64_t plane, std::int64_t iy, std::size_t i) const {
        return element::load<Acc>(m_job.x.row(plane, iy)[i]);
    }

    // Returns the factor of an average's divisor along an axis.
    Acc count(const AxisWindows& along, std::int64_t o, const Taps& taps) const {
        return static_cast<Acc>(m_job.desc.count_include_pad ? along.padded_count(o)
                                                             : std::max<std::int64_t>(taps.count, 1));
    }

    void make_shares(std::int64_t plane, std::int64_t oy) {
        const T* dy = m_job.dy.row(plane, oy);
        const auto width = static_cast<std::int64_t>(m_shares.size());
        if constexpr (Op == GradientOp::avg) {
            const auto& given = m_job.desc.divisor_override;
            const Acc rows =
                given ? static_cast<Acc>(*given) : count(m_job.geometry.y, oy, m_job.geometry.y.taps(oy));
            for (std::int64_t o = 0; o < width; ++o) {
                const Acc divisor = given ? rows : rows * m_counts[static_cast<std::size_t>(o)];
                m_shares[static_cast<std::size_t>(o)] = avg_share(element::load<Acc>(dy[o]), divisor);
            }
        } else {
            const T* y = m_job.y.row(plane, oy);
            for (std::int64_t o = 0; o < width; ++o) {
                m_shares[static_cast<std::size_t>(o)] =
                    lp1_share(element::load<Acc>(dy[o]), element::load<Acc>(y[o]));
            }
        }
    }

    void scatter_row(std::int64_t plane, std::int64_t oy, Acc* scattered) {
        const AxisWindows& axis = m_job.geometry.x;
        make_shares(plane, oy);
        std::fill_n(scattered, axis.in, Acc(0));
        for (std::int64_t o = 0; o < axis.out; ++o) {
            const Acc share = m_shares[static_cast<std::size_t>(o)];
            const Taps taps = m_taps[static_cast<std::size_t>(o)];
            Acc* to = scattered + taps.first;
            for (std::int64_t k = 0; k < taps.count; ++k) to[k * taps.step] += share;
        }
    }

    Job<T> m_job;
    std::vector<Acc> m_sums;
    std::vector<Acc> m_shares;
    RowRing m_ring;
    std::vector<Acc> m_scattered;  // of the rows in the ring
    std::vector<Taps> m_taps;      // along x
    std::vector<Acc> m_counts;
};

// Gradients that are no product of a term of the element and one of the window.
template <class T>
class PairKernel : public RowByRow<PairKernel<T>> {
  public:
    explicit PairKernel(const Job<T>& job) : m_job(job) {}

    void make_row(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& rows = m_job.geometry.y;
        const AxisWindows& columns = m_job.geometry.x;
        const T* x = m_job.x.row(plane, iy);
        T* out = m_job.dx.row(plane, iy);
        const IndexRange near_y = rows.windows_near(iy);
        for (std::int64_t ix = 0; ix < columns.in; ++ix) {
            const auto value = element::load<double>(x[ix]);
            const IndexRange near_x = columns.windows_near(ix);
            double sum = 0.0;
            for (std::int64_t oy = near_y.begin; oy < near_y.end; ++oy) {
                if (!rows.has_tap(oy, iy)) continue;
                const T* y = m_job.y.row(plane, oy);
                const T* dy = m_job.dy.row(plane, oy);
                double row = 0.0;
                for (std::int64_t ox = near_x.begin; ox < near_x.end; ++ox) {
                    if (columns.has_tap(ox, ix))
                        row += lp_pair(value, element::load<double>(y[ox]), element::load<double>(dy[ox]),
                                       m_job.desc.p);
                }
                sum += row;
            }
            out[ix] = element::store<T>(sum);
        }
    }

  private:
    Job<T> m_job;
};

}  // namespace iir2d::pool
