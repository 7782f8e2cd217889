// SPDX-License-Identifier: MIT
// Gradients of maxima: each window adds to one element. A chunk of rows is made at once, from the windows
// near it in row-major order, so that every element's sum is in their order too.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/pool/backward_job.h"
#include "kernels/pool/scatter.h"

namespace iir2d::pool {

template <class T, class Acc>
class MaxGradient {
  public:
    explicit MaxGradient(const Job<T>& job) : m_job(job), m_width(job.geometry.x.in) {
        m_sums.resize(
            static_cast<std::size_t>(chunk_rows() * m_width + std::max<std::int64_t>(bins, row_slack)));
    }

    // Returns rows for a part of the first-level cache; of long rows more, in the second level, as windows
    // that reach into two chunks are looked at for both.
    std::int64_t chunk_rows() const {
        constexpr std::int64_t chunk_bytes = 32768;
        constexpr std::int64_t most_bytes = 131072;
        const std::int64_t row_bytes = m_width * static_cast<std::int64_t>(sizeof(Acc));
        const AxisWindows& y = m_job.geometry.y;
        const std::int64_t few_shared = std::min(4 * std::min(y.span(), y.in), most_bytes / row_bytes);
        return std::clamp<std::int64_t>(std::max(chunk_bytes / row_bytes, few_shared), 1, y.in);
    }

    void make_rows(std::int64_t plane, const IndexRange& rows) {
        const PoolGeometry& g = m_job.geometry;
        const auto size = static_cast<std::uint64_t>((rows.end - rows.begin) * m_width);
        std::fill_n(m_sums.begin(), size, Acc(0));
        const auto first = static_cast<std::uint64_t>(rows.begin * m_width);
        const IndexRange near{g.y.windows_near(rows.begin).begin, g.y.windows_near(rows.end - 1).end};
        Acc* const sums = m_sums.data();
        for (std::int64_t oy = near.begin; oy < near.end; ++oy) {
            const T* dy = m_job.dy.row(plane, oy);
            const std::int64_t* argmax = m_job.argmax + (plane * g.y.out + oy) * g.x.out;
            const Taps taps = g.y.taps(oy);
            if (taps.first >= rows.begin && taps.first + (taps.count - 1) * taps.step < rows.end) {
                for (std::int64_t ox = 0; ox < g.x.out; ++ox) {
                    // All but those of empty windows are, and whatever a caller made up.
                    const std::uint64_t place = static_cast<std::uint64_t>(argmax[ox]) - first;
                    if (place < size) sums[place] += element::load<Acc>(dy[ox]);
                }
                continue;
            }
            for (std::int64_t ox = 0; ox < g.x.out; ++ox) {
                const std::uint64_t place = static_cast<std::uint64_t>(argmax[ox]) - first;
                const std::uint64_t bin = size + static_cast<std::uint64_t>(ox) % bins;
                // A branch-free select: of a conditional compilers make a branch.
                const std::uint64_t here = std::uint64_t{0} - static_cast<std::uint64_t>(place < size);
                sums[bin ^ ((bin ^ place) & here)] += element::load<Acc>(dy[ox]);
            }
        }
        for (std::int64_t iy = rows.begin; iy < rows.end; ++iy)
            store_row(plane, iy, sums + (iy - rows.begin) * m_width);
    }

  private:
    // Behind the chunk, for what goes to other rows: which windows do cannot be foreseen, and a mispredicted
    // branch takes longer than an addition. Several, so that these do not wait for each other.
    static constexpr std::uint64_t bins = 8;

    void store_row(std::int64_t plane, std::int64_t iy, const Acc* sums) {
        T* out = m_job.dx.row(plane, iy);
        if constexpr (std::is_same_v<T, float> && std::is_same_v<Acc, float>) {
            const float* const rows[] = {sums};
            add_rows(rows, m_width, m_job.non_temporal, out);
        } else {
            for (std::int64_t i = 0; i < m_width; ++i) out[i] = element::store<T>(sums[i]);
        }
    }

    Job<T> m_job;
    std::int64_t m_width;
    std::vector<Acc> m_sums;
};

}  // namespace iir2d::pool
