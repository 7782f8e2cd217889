// SPDX-License-Identifier: MIT
// The parameters of the pooling kernels: one trivially copyable struct per launch, filled in by gpu_plan.cpp.
#pragma once

#include <cstdint>

#include "kernels/pool/window_formula.h"

namespace iir2d::pool {

// One array of planes. The address is a device address, strides are in elements.
struct GpuPlanes {
    std::uint64_t data;
    std::int64_t row_stride;
    std::int64_t plane_stride;

    template <class T>
    IIR2D_DEVICE T* row(std::int64_t plane, std::int64_t y) const {
        return reinterpret_cast<T*>(static_cast<std::uintptr_t>(data)) + plane * plane_stride +
               y * row_stride;
    }
};

// Describes how rows of elements, outputs or gradients, are distributed: a warp takes units, a piece of a row
// each.
struct GpuUnits {
    std::int64_t rows;         // of a plane
    std::int64_t count;        // of units, of the whole job
    std::int64_t first_block;  // of this launch
    std::int64_t pieces;       // of a row
    std::int64_t steps;        // of a warp in a piece
};

struct GpuPool {
    GpuPlanes x;
    GpuPlanes y;
    std::uint64_t argmax;  // dense; 0 where it is not wanted
    WindowRule rule;
    GpuUnits units;
};

// Addresses that an op does not read are 0.
struct GpuPoolBackward {
    GpuPlanes x;
    GpuPlanes y;
    GpuPlanes dy;
    GpuPlanes dx;
    std::uint64_t argmax;  // dense
    WindowRule rule;
    GpuUnits units;
};

}  // namespace iir2d::pool
