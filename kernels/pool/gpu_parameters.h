// SPDX-License-Identifier: MIT
// What the pooling kernels are told: one trivially copyable struct per launch, filled in by gpu_plan.cpp.
#pragma once

#include <cstdint>

#include "kernels/pool/windows.h"

namespace iir2d::pool {

// Addresses are device addresses, strides in elements. A warp takes units: a piece of an output row of all
// planes' output rows.
struct GpuPool {
    std::uint64_t x;
    std::uint64_t y;
    std::uint64_t argmax;  // dense
    std::int64_t x_row_stride;
    std::int64_t x_plane_stride;
    std::int64_t y_row_stride;
    std::int64_t y_plane_stride;
    AxisWindows rows;
    AxisWindows columns;
    std::int64_t units;        // of the whole job
    std::int64_t first_block;  // of this launch
    std::int64_t pieces;       // of an output row
    std::int32_t steps;        // of a warp in a piece
    std::int32_t include_pad;
    std::int32_t has_divisor;
    std::int32_t padding;
    double divisor;
    double p;
    double inverse_p;
};

}  // namespace iir2d::pool
