// SPDX-License-Identifier: MIT
// Two ways of seeing many lines of a plane side by side, so that one sweep serves rows and columns. A chunk
// holds `count` successive samples of every lane, lane after lane: chunk[t * lanes + l].
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/iir/transpose.h"

namespace iir2d::iir {

// A plane's lines are read from `in` and written to `out`, which may be the same.
template <class S>
struct LinePlane {
    const S* in = nullptr;
    S* out = nullptr;
    std::int64_t in_stride = 0;
    std::int64_t out_stride = 0;
};

// `lanes` neighbouring rows; the samples of a chunk are transposed on the way. Unused lanes of the last band
// hold zeros.
template <class S, class A, std::size_t Lanes>
class RowLines {
  public:
    static constexpr std::size_t chunk_length = 256;

    RowLines(LinePlane<S> plane, std::int64_t first_row, std::size_t rows, std::int64_t width)
        : m_rows(rows), m_width(width), m_plane(plane) {
        m_plane.in += first_row * plane.in_stride;
        m_plane.out += first_row * plane.out_stride;
    }
    static constexpr std::size_t lanes() { return Lanes; }
    std::int64_t length() const { return m_width; }
    void read_output_from_now() {
        m_plane.in = m_plane.out;
        m_plane.in_stride = m_plane.out_stride;
    }

    void load_at(std::int64_t index, double* out) const {
        for (std::size_t l = 0; l < m_rows; ++l) out[l] = row_in(l)[index];
        std::fill(out + m_rows, out + Lanes, 0.0);
    }

    // Samples [first, first + count), in rising order of index, or from first + count - 1 down when reversed.
    void load(std::int64_t first, std::size_t count, bool reversed, A* chunk) const {
        if (m_rows < Lanes) std::fill(chunk, chunk + count * Lanes, A(0));
        for (std::size_t l = 0; l < m_rows; l += block) {
            const S* from = row_in(l) + first;
            std::size_t t = 0;
            if (l + block <= m_rows) {
                for (; t + block <= count; t += block) {
                    block_to_lanes(from + t, m_plane.in_stride, chunk + place(t, count, reversed) * Lanes + l,
                                   reversed ? -as_index(Lanes) : as_index(Lanes));
                }
            }
            for (; t < count; ++t) {
                A* to = chunk + place(t, count, reversed) * Lanes;
                for (std::size_t k = l; k < std::min(l + block, m_rows); ++k) {
                    to[k] = static_cast<A>(row_in(k)[first + as_index(t)]);
                }
            }
        }
    }

    void store(std::int64_t first, std::size_t count, bool reversed, const A* chunk) const {
        for (std::size_t l = 0; l < m_rows; l += block) {
            S* to = row_out(l) + first;
            std::size_t t = 0;
            if (l + block <= m_rows) {
                for (; t + block <= count; t += block) {
                    block_to_rows(chunk + place(t, count, reversed) * Lanes + l,
                                  reversed ? -as_index(Lanes) : as_index(Lanes), to + t, m_plane.out_stride);
                }
            }
            for (; t < count; ++t) {
                const A* from = chunk + place(t, count, reversed) * Lanes;
                for (std::size_t k = l; k < std::min(l + block, m_rows); ++k) {
                    row_out(k)[first + as_index(t)] = static_cast<S>(from[k]);
                }
            }
        }
    }

    void fill_lane(std::size_t lane, S value) const { std::fill_n(row_out(lane), m_width, value); }

  private:
    static constexpr std::size_t block = transpose_block;
    // Where in the chunk the sample `first + t` is.
    static std::size_t place(std::size_t t, std::size_t count, bool reversed) {
        return reversed ? count - 1 - t : t;
    }
    static std::int64_t as_index(std::size_t t) { return static_cast<std::int64_t>(t); }
    const S* row_in(std::size_t l) const { return m_plane.in + as_index(l) * m_plane.in_stride; }
    S* row_out(std::size_t l) const { return m_plane.out + as_index(l) * m_plane.out_stride; }

    std::size_t m_rows;
    std::int64_t m_width;
    LinePlane<S> m_plane;
};

// A tile of neighbouring columns; a chunk is one row of it.
template <class S, class A>
class ColumnLines {
  public:
    static constexpr std::size_t chunk_length = 1;

    ColumnLines(LinePlane<S> plane, std::int64_t first_column, std::size_t columns, std::int64_t height)
        : m_columns(columns), m_height(height), m_plane(plane) {
        m_plane.in += first_column;
        m_plane.out += first_column;
    }
    std::size_t lanes() const { return m_columns; }
    std::int64_t length() const { return m_height; }
    void read_output_from_now() {
        m_plane.in = m_plane.out;
        m_plane.in_stride = m_plane.out_stride;
    }

    void load_at(std::int64_t index, double* out) const {
        std::copy_n(m_plane.in + index * m_plane.in_stride, m_columns, out);
    }
    const S* row_in(std::int64_t row) const { return m_plane.in + row * m_plane.in_stride; }
    S* row_out(std::int64_t row) const { return m_plane.out + row * m_plane.out_stride; }
    void load(std::int64_t first, std::size_t, bool, A* chunk) const {
        const S* from = row_in(first);
        for (std::size_t l = 0; l < m_columns; ++l) chunk[l] = static_cast<A>(from[l]);
    }
    void store(std::int64_t first, std::size_t, bool, const A* chunk) const {
        S* to = row_out(first);
        for (std::size_t l = 0; l < m_columns; ++l) to[l] = static_cast<S>(chunk[l]);
    }
    void fill_lane(std::size_t lane, S value) const {
        for (std::int64_t row = 0; row < m_height; ++row) row_out(row)[lane] = value;
    }

  private:
    std::size_t m_columns;
    std::int64_t m_height;
    LinePlane<S> m_plane;
};

}  // namespace iir2d::iir
