// SPDX-License-Identifier: MIT
// Keeps rows that several others need: each is made once and kept until the last of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/pool/windows.h"

namespace iir2d::pool {

// Holds as many rows as a window spans where windows overlap along y, else one.
class RowRing {
  public:
    RowRing(const AxisWindows& y, std::size_t row_bytes) {
        // Beyond this much memory a row is made again for each window instead.
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

}  // namespace iir2d::pool
