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
// step.
template <class Visit>
IIR2D_DEVICE void for_unit(const GpuUnits& units, const gpu::Block& block, int elements, Visit visit) {
    const std::int64_t index = (units.first_block + block.index()) * block.warps() + block.warp();
    if (index >= units.count) return;
    const std::int64_t row = index / units.pieces;
    const std::int64_t plane = row / units.rows;
    visit(GpuUnit{plane, row - plane * units.rows, row,
                  (index - row * units.pieces) * units.steps * gpu::warp_lanes * elements});
}

// Calls element(x) for every element of a unit that lies in a row of `width`, a lane each.
template <class Element>
IIR2D_DEVICE void for_elements(const GpuUnits& units, const GpuUnit& unit, std::int64_t width,
                               Element element) {
    IIR2D_ROLLED
    for (std::int64_t step = 0; step < units.steps; ++step) {
        gpu::for_lanes([&](int l) {
            const std::int64_t x = unit.first + step * gpu::warp_lanes + l;
            if (x < width) element(x);
        });
    }
}

}  // namespace iir2d::pool
