// SPDX-License-Identifier: MIT
// Gradients of maxima: each window adds to one element. A chunk of rows is made at once, from the windows
// near it in row-major order, so that every element's sum is in their order too. Or, in vectors and with the
// same bits, an element takes from each of its windows what is its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/pool/argmax_gradient.h"
#include "kernels/pool/backward_job.h"
#include "kernels/pool/backward_scatter.h"
#include "kernels/pool/scatter.h"
#include "kernels/support/element_rows.h"

namespace iir2d::pool {

// Writes elements of dx.
template <class T, class Acc>
void store_sums(const Acc* sums, std::int64_t count, bool non_temporal, T* to) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Acc, float>) {
        const float* const rows[] = {sums};
        add_rows(rows, count, non_temporal, to);
    } else if constexpr (sizeof(T) < sizeof(float)) {
        store_row(sums, count, to);
    } else {
        for (std::int64_t i = 0; i < count; ++i) to[i] = element::store<T>(sums[i]);
    }
}

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
            store_sums(sums + (iy - rows.begin) * m_width, m_width, m_job.non_temporal,
                       m_job.dx.row(plane, iy));
    }

  private:
    // Behind the chunk, for what goes to other rows: which windows do cannot be foreseen, and a mispredicted
    // branch takes longer than an addition. Several, so that these do not wait for each other.
    static constexpr std::uint64_t bins = 8;

    Job<T> m_job;
    std::int64_t m_width;
    std::vector<Acc> m_sums;
};

// Gathers maxima's gradients where gathers_maxima() holds.
template <class T>
class MaxGather : public RowByRow<MaxGather<T>> {
  public:
    explicit MaxGather(const Job<T>& job)
        : m_job(job),
          m_x(job.geometry.x),
          m_length(row_distance<float>(m_x.window + std::max(m_x.out, (m_x.in + m_x.padding) / m_x.stride) +
                                       3 * row_slack)),
          m_ring(transposed(job.geometry.y), 1),
          m_places(m_ring.slots() * static_cast<std::size_t>(m_length) + row_slack, no_place),
          m_dy(m_places.size()),
          m_sums(static_cast<std::size_t>(m_x.in + 4 * row_slack)) {}

    void make_row(std::int64_t plane, std::int64_t iy) {
        const AxisWindows& y = m_job.geometry.y;
        const IndexRange near = y.windows_near(iy);
        m_rows.clear();
        for (std::int64_t oy = near.begin; oy < near.end; ++oy) {
            if (!y.has_tap(oy, iy)) continue;
            m_rows.push_back(windows(plane, oy, iy));
        }
        float* const sums = at_cache_line(m_sums.data() + 1);
        T* const to = m_job.dx.row(plane, iy);
        const Ahead next = ahead(plane, iy, near.end);
        const std::int64_t step = elements_at_once(to);
        for (std::int64_t i = 0; i < m_x.in; i += step) {
            const std::int64_t end = std::min(i + step, m_x.in);
            take_gradients(m_x, {i, end}, m_rows, next, sums);
            store_sums(sums + i, end - i, m_job.non_temporal, to + i);
        }
    }

  private:
    // Returns so few that non-temporal stores of some go on while the next are made, or all where those
    // stores would begin and end within cache lines.
    std::int64_t elements_at_once(const T* to) const {
        constexpr std::int64_t few = 512;
        return reinterpret_cast<std::uintptr_t>(to) % 64 == 0 ? few : m_x.in;
    }

    // Returns the part of row `oy` of windows to prefetch while row `iy` is made.
    Ahead ahead(std::int64_t plane, std::int64_t iy, std::int64_t oy) const {
        const AxisWindows& y = m_job.geometry.y;
        if (oy >= y.out) return {};
        const std::int64_t from = (iy + y.padding) % y.stride * m_x.out / y.stride;
        return {m_job.argmax + (plane * y.out + oy) * m_x.out + from,
                reinterpret_cast<const std::byte*>(m_job.dy.row(plane, oy) + from), sizeof(T), y.stride};
    }

    // Returns a row of windows, whose places count from the beginning of their first row of elements, for row
    // `iy` of them.
    PlacedWindows windows(std::int64_t plane, std::int64_t oy, std::int64_t iy) {
        const PoolGeometry& g = m_job.geometry;
        const std::int64_t first_row = g.y.taps(oy).first;
        const RowRing::Slot slot = m_ring.take(plane, g.y.out, oy);
        const std::int64_t at = static_cast<std::int64_t>(slot.index) * m_length;
        std::int32_t* const places = at_cache_line(m_places.data() + m_x.window) + at;
        float* const dy = at_cache_line(m_dy.data() + m_x.window) + at;
        if (!slot.holds_row) {
            place_argmax(m_job.argmax + (plane * g.y.out + oy) * m_x.out, m_x.out, first_row * m_x.in,
                         places);
            const T* const from = m_job.dy.row(plane, oy);
            if constexpr (std::is_same_v<T, float>) {
                std::copy_n(from, m_x.out, dy);
            } else {
                widen_row(from, m_x.out, dy);
            }
        }
        return {places, dy, static_cast<std::int32_t>((iy - first_row) * m_x.in)};
    }

    Job<T> m_job;
    AxisWindows m_x;
    std::int64_t m_length;  // of a row of windows, with what lies before and behind it
    RowRing m_ring;
    std::vector<std::int32_t> m_places;  // of the rows in the ring
    std::vector<float> m_dy;
    std::vector<float> m_sums;
    std::vector<PlacedWindows> m_rows;
};

}  // namespace iir2d::pool
