// SPDX-License-Identifier: MIT
// A warp's way through the rows that pooling kernels write.
#pragma once

#include "kernels/pool/gpu_parameters.h"
#include "kernels/support/warp.h"

namespace iir2d::pool {

// The piece of a row that a warp has.
struct GpuUnit {
    std::int64_t plane;
    std::int64_t y;
    std::int64_t row;  // of all planes' rows
    std::int64_t first;
};

// Calls visit(unit) for the unit of this warp, if there is one. A lane has `elements` neighbours in each
// step. Units follow each other by row in a group, then by piece, group and plane.
template <class Visit>
IIR2D_DEVICE void for_unit(const GpuUnits& units, const gpu::Block& block, int elements, Visit visit) {
    const std::int64_t index = (units.first_block + block.index()) * block.warps() + block.warp();
    if (index >= units.count) return;
    const std::int64_t piece_of_group = index >> units.group_bits;
    const std::int64_t group = quotient(piece_of_group, units.pieces);
    const std::int64_t plane = quotient(group, units.groups);
    const std::int64_t y = ((group - plane * units.groups) << units.group_bits) +
                           (index & ((std::int64_t{1} << units.group_bits) - 1));
    if (y >= units.rows) return;
    visit(GpuUnit{plane, y, plane * units.rows + y,
                  (piece_of_group - group * units.pieces) * (units.steps * gpu::warp_lanes * elements)});
}

// Calls element(i) for every element of a unit, a lane each, of which `left` are left in its row.
template <class Element>
IIR2D_DEVICE void for_elements(const GpuUnits& units, std::int64_t left, Element element) {
    const int own = units.steps * gpu::warp_lanes;
    const int end = left < own ? static_cast<int>(left) : own;
    IIR2D_ROLLED
    for (int first = 0; first < end; first += gpu::warp_lanes) {
        gpu::for_lanes([&](int l) {
            if (first + l < end) element(first + l);
        });
    }
}

// What a unit leaves for later, of each lane: some of 2^row_bits rows at each step, 64 at most together.
class GpuLeftOver {
  public:
    IIR2D_DEVICE explicit GpuLeftOver(int row_bits) : m_row_bits(row_bits) {
        gpu::for_lanes([&](int l) { m_bits[l] = 0; });
    }

    // Leaves element i of a row if `leave` holds.
    IIR2D_DEVICE void add(int i, int row, bool leave) {
        const int bit = (i / gpu::warp_lanes << m_row_bits) + row;
        if (leave) m_bits[i % gpu::warp_lanes] |= std::uint64_t{1} << bit;
    }

    // Calls element(i, row) for each.
    template <class Element>
    IIR2D_DEVICE void visit(Element element) {
        gpu::for_lanes([&](int l) {
            IIR2D_ROLLED
            for (int bit = 0; m_bits[l] != 0; ++bit, m_bits[l] >>= 1) {
                const int step = bit >> m_row_bits;
                if ((m_bits[l] & 1) != 0) element(step * gpu::warp_lanes + l, bit - (step << m_row_bits));
            }
        });
    }

  private:
    int m_row_bits;
    gpu::Lanes<std::uint64_t> m_bits;
};

}  // namespace iir2d::pool
