// SPDX-License-Identifier: MIT
// What the CPU kernels share: pooling one row along x, keeping the rows that overlapping windows use again,
// and walking the output rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <vector>

#include "kernels/pool/geometry.h"

namespace iir2d::pool {

// Calls body with the stride as a compile-time constant where that makes the loads vectorise.
template <class Body>
void with_stride(std::int64_t stride, Body body) {
    switch (stride) {
        case 1:
            return body(std::integral_constant<std::int64_t, 1>{});
        case 2:
            return body(std::integral_constant<std::int64_t, 2>{});
        case 3:
            return body(std::integral_constant<std::int64_t, 3>{});
        default:
            return body(stride);
    }
}

// The windows whose taps all lie inside the input.
inline IndexRange inner_windows(const AxisWindows& axis) {
    const std::int64_t begin = axis.windows_with_tap(0).begin;
    return {begin, std::max(begin, axis.windows_with_tap(axis.window - 1).end)};
}

// out[o] = combine over the taps of window o of load(in[tap]), from `identity` on, taps in ascending order.
// Looks at `stop` between the taps of wide windows; false when it asked.
template <class Stride, class In, class Acc, class Load, class Combine>
bool reduce_row(Stride stride, const AxisWindows& axis, const In* in, Acc* out, Acc identity, Load load,
                Combine combine, const std::stop_token& stop) {
    const std::int64_t d = axis.dilation;
    if (axis.window == 2 || axis.window == 3) {
        const auto edge = [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t o = begin; o < end; ++o) {
                const Taps taps = axis.taps(o);
                out[o] = identity;
                for (std::int64_t k = 0; k < taps.count; ++k) {
                    out[o] = combine(out[o], load(in[taps.first + k * d]));
                }
            }
        };
        const IndexRange inner = inner_windows(axis);
        const std::int64_t first = -axis.padding;
        edge(0, inner.begin);
        if (axis.window == 2) {
            for (std::int64_t o = inner.begin; o < inner.end; ++o) {
                const std::int64_t i = o * stride + first;
                out[o] = combine(load(in[i]), load(in[i + d]));
            }
        } else {
            for (std::int64_t o = inner.begin; o < inner.end; ++o) {
                const std::int64_t i = o * stride + first;
                out[o] = combine(combine(load(in[i]), load(in[i + d])), load(in[i + 2 * d]));
            }
        }
        edge(inner.end, axis.out);
        return true;
    }
    std::fill(out, out + axis.out, identity);
    for (std::int64_t k = 0; k < axis.window; ++k) {
        if (k % 16 == 15 && stop.stop_requested()) return false;
        const IndexRange windows = axis.windows_with_tap(k);
        const std::int64_t offset = k * d - axis.padding;
        for (std::int64_t o = windows.begin; o < windows.end; ++o) {
            out[o] = combine(out[o], load(in[o * stride + offset]));
        }
    }
    return true;
}

// Which pooled rows are kept: as many as a window spans where windows overlap along y, else one.
class RowRing {
  public:
    RowRing(const AxisWindows& y, std::size_t row_bytes) {
        // Beyond this much memory a row is pooled again for each window instead.
        constexpr std::size_t most_bytes = std::size_t{64} << 20U;
        std::int64_t slots = y.stride < y.span() ? std::min(y.span(), y.in) : 1;
        if (static_cast<std::size_t>(slots) > most_bytes / std::max<std::size_t>(row_bytes, 1)) slots = 1;
        m_rows.assign(static_cast<std::size_t>(slots), -1);
    }

    std::size_t slots() const { return m_rows.size(); }

    // The slot of a row of a plane, and whether it already holds that row.
    struct Slot {
        std::size_t index;
        bool holds_row;
    };
    Slot take(std::int64_t plane, std::int64_t height, std::int64_t row) {
        const auto index = static_cast<std::size_t>(row % static_cast<std::int64_t>(m_rows.size()));
        const std::int64_t id = plane * height + row;
        const bool holds_row = m_rows[index] == id;
        m_rows[index] = id;
        return {index, holds_row};
    }

  private:
    std::vector<std::int64_t> m_rows;  // per slot: plane * height + row, or -1
};

// Computes output rows [rows.begin, rows.end), counted through all planes. A Kernel has
//   row_bytes()                       of one pooled row
//   allocate(slots)                   room for that many pooled rows
//   pool_row(plane, row, slot, stop)  pools an input row along x into a slot; false when stopped
//   begin(), add(row, slot)           starts an output row; folds in an input row that a slot holds
//   finish(plane, oy)                 writes the output row
// False when `stop` asked; rows not reached are then not written.
template <class Kernel>
bool pool_rows(const PoolGeometry& geometry, Kernel& kernel, IndexRange rows, const std::stop_token& stop) {
    const AxisWindows& y = geometry.y;
    RowRing ring(y, kernel.row_bytes());
    kernel.allocate(ring.slots());
    for (std::int64_t flat = rows.begin; flat < rows.end; ++flat) {
        const std::int64_t plane = flat / y.out;
        const std::int64_t oy = flat % y.out;
        const Taps taps = y.taps(oy);
        kernel.begin();
        for (std::int64_t k = 0; k < taps.count; ++k) {
            if (stop.stop_requested()) return false;
            const std::int64_t row = taps.first + k * taps.step;
            const RowRing::Slot slot = ring.take(plane, y.in, row);
            if (!slot.holds_row && !kernel.pool_row(plane, row, slot.index, stop)) return false;
            kernel.add(row, slot.index);
        }
        kernel.finish(plane, oy);
    }
    return true;
}

}  // namespace iir2d::pool
