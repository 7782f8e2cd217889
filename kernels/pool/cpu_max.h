// SPDX-License-Identifier: MIT
// Max pooling of rows, without and with the argmax. Rows are pooled along x first and combined from top to
// bottom, each time keeping the earlier of two equal values: that finds the first maximum in row-major order.
// A NaN is above every number and never replaced, so the first NaN wins.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/pool/cpu.h"
#include "kernels/pool/cpu_rows.h"

namespace iir2d::pool {

// An integer of T's size, all bits set or none: as conditions, GCC makes branches of the selections below and
// does not vectorise them.
template <class T>
using Mask = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

// Set when v replaces the best so far.
template <class T>
inline Mask<T> above(T best, T v) {
    const Mask<T> not_below = v <= best ? 0 : -1;
    const Mask<T> best_is_number = best == best ? -1 : 0;
    return not_below & best_is_number;
}

// v where the mask is set, else old.
template <class M, class V>
inline V select(M mask, V v, V old) {
    if constexpr (std::is_integral_v<V>) {
        const auto bits = static_cast<V>(mask);
        return (v & bits) | (old & ~bits);
    } else {
        using Bits = Mask<V>;
        return std::bit_cast<V>(select(mask, std::bit_cast<Bits>(v), std::bit_cast<Bits>(old)));
    }
}

template <class T>
inline T keep_above(T best, T v) {
    return above(best, v) != 0 ? v : best;
}

template <class T>
class MaxKernel {
  public:
    MaxKernel(const PoolGeometry& geometry, Planes<const T> x, Planes<T> y)
        : m_axis(geometry.x), m_x(x), m_y(y), m_best(static_cast<std::size_t>(m_axis.out)) {}

    std::size_t row_bytes() const { return m_best.size() * sizeof(T); }
    void allocate(std::size_t slots) { m_slots.resize(slots * m_best.size()); }

    bool pool_row(std::int64_t plane, std::int64_t row, std::size_t slot, const std::stop_token& stop) {
        bool done = true;
        with_stride(m_axis.stride, [&](auto stride) {
            done = reduce_row(
                stride, m_axis, m_x.row(plane, row), slot_data(slot), lowest, [](T v) { return v; },
                [](T best, T v) { return keep_above(best, v); }, stop);
        });
        return done;
    }

    void begin() { std::fill(m_best.begin(), m_best.end(), lowest); }

    void add(std::int64_t, std::size_t slot) {
        const T* values = slot_data(slot);
        T* best = m_best.data();
        for (std::size_t o = 0; o < m_best.size(); ++o) {
            best[o] = keep_above(best[o], values[o]);
        }
    }

    void finish(std::int64_t plane, std::int64_t oy) {
        std::copy(m_best.begin(), m_best.end(), m_y.row(plane, oy));
    }

  private:
    static constexpr T lowest = -std::numeric_limits<T>::infinity();

    T* slot_data(std::size_t slot) { return m_slots.data() + slot * m_best.size(); }

    AxisWindows m_axis;
    Planes<const T> m_x;
    Planes<T> m_y;
    std::vector<T> m_best;
    std::vector<T> m_slots;
};

// The same with the position of each maximum: the tap along x (window sizes fit 32 bits) and the input row.
// A tap of -1 means that nothing was seen yet, so that a window of nothing but -infinity has its first
// element's index, and a window without a tap inside the input has -1.
template <class T>
class MaxIndexKernel {
  public:
    MaxIndexKernel(const PoolGeometry& geometry, Planes<const T> x, Planes<T> y, std::int64_t* argmax)
        : m_axis(geometry.x),
          m_in_width(geometry.input.w),
          m_out_height(geometry.output.h),
          m_x(x),
          m_y(y),
          m_argmax(argmax),
          m_width(static_cast<std::size_t>(m_axis.out)),
          m_best(m_width),
          m_best_tap(m_width),
          m_best_row(m_width) {}

    std::size_t row_bytes() const { return m_width * (sizeof(T) + sizeof(std::int32_t)); }
    void allocate(std::size_t slots) {
        m_slots.resize(slots * m_width);
        m_slot_taps.resize(slots * m_width);
    }

    bool pool_row(std::int64_t plane, std::int64_t row, std::size_t slot, const std::stop_token& stop) {
        const T* in = m_x.row(plane, row);
        T* best = m_slots.data() + slot * m_width;
        std::int32_t* best_tap = m_slot_taps.data() + slot * m_width;
        std::fill(best, best + m_width, lowest);
        std::fill(best_tap, best_tap + m_width, -1);
        for (std::int64_t k = 0; k < m_axis.window; ++k) {
            if (k % 16 == 15 && stop.stop_requested()) return false;
            const IndexRange windows = m_axis.windows_with_tap(k);
            const std::int64_t offset = k * m_axis.dilation - m_axis.padding;
            const auto tap = static_cast<std::int32_t>(k);
            with_stride(m_axis.stride, [&](auto stride) {
                for (std::int64_t o = windows.begin; o < windows.end; ++o) {
                    const T value = in[o * stride + offset];
                    const T old = best[o];
                    const std::int32_t old_tap = best_tap[o];
                    const Mask<T> take = above(old, value) | Mask<T>{old_tap >> 31};
                    best[o] = select(take, value, old);
                    best_tap[o] = select(take, tap, old_tap);
                }
            });
        }
        return true;
    }

    void begin() {
        std::fill(m_best.begin(), m_best.end(), lowest);
        std::fill(m_best_tap.begin(), m_best_tap.end(), -1);
        m_rows.clear();
    }

    void add(std::int64_t row, std::size_t slot) {
        const T* values = m_slots.data() + slot * m_width;
        const std::int32_t* taps = m_slot_taps.data() + slot * m_width;
        T* best = m_best.data();
        std::int32_t* best_tap = m_best_tap.data();
        std::int32_t* best_row = m_best_row.data();
        const auto number = static_cast<std::int32_t>(m_rows.size());
        m_rows.push_back(row);
        for (std::size_t o = 0; o < m_width; ++o) {
            const T value = values[o];
            const T old = best[o];
            const std::int32_t tap = taps[o];
            const std::int32_t old_tap = best_tap[o];
            const std::int32_t old_row = best_row[o];
            const Mask<T> take = (above(old, value) | Mask<T>{old_tap >> 31}) & ~Mask<T>{tap >> 31};
            best[o] = select(take, value, old);
            best_tap[o] = select(take, tap, old_tap);
            best_row[o] = select(take, number, old_row);
        }
    }

    void finish(std::int64_t plane, std::int64_t oy) {
        std::copy(m_best.begin(), m_best.end(), m_y.row(plane, oy));
        std::int64_t* index = m_argmax + (plane * m_out_height + oy) * m_axis.out;
        for (std::size_t o = 0; o < m_width; ++o) {
            if (m_best_tap[o] < 0) {
                index[o] = -1;
                continue;
            }
            const std::int64_t column =
                m_axis.start(static_cast<std::int64_t>(o)) + m_best_tap[o] * m_axis.dilation;
            index[o] = m_rows[static_cast<std::size_t>(m_best_row[o])] * m_in_width + column;
        }
    }

  private:
    static constexpr T lowest = -std::numeric_limits<T>::infinity();

    AxisWindows m_axis;
    std::int64_t m_in_width;
    std::int64_t m_out_height;
    Planes<const T> m_x;
    Planes<T> m_y;
    std::int64_t* m_argmax;
    std::size_t m_width;
    std::vector<T> m_best;
    std::vector<std::int32_t> m_best_tap;
    std::vector<std::int32_t> m_best_row;  // number of the row within the window's taps
    std::vector<std::int64_t> m_rows;      // by that number: the input row
    std::vector<T> m_slots;
    std::vector<std::int32_t> m_slot_taps;
};

}  // namespace iir2d::pool
