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
    std::int64_t rows;         // of a plane: of elements, or stacks of them
    std::int64_t count;        // of units, of the whole job
    std::int64_t first_block;  // of this launch
    std::int64_t pieces;       // of a row
    std::int64_t groups;       // of neighbouring rows, of a plane
    std::int32_t steps;        // of a warp in a piece
    std::int32_t group_bits;   // a group has 2^group_bits rows, which warps of one block take
};

// Along one axis: the outputs [begin, end) have windows that lie inside the input with all their taps, tap k
// of window o at o * stride - padding + k * dilation.
struct GpuWholeAxis {
    std::int32_t begin;
    std::int32_t end;
    std::int32_t window;
    std::int32_t stride;
    std::int32_t padding;
    std::int32_t dilation;
};

// Where square windows are a row apart, a lane makes 4 outputs one below the other.
constexpr std::int32_t most_stack_bits = 2;

// The windows that lie inside whole; none where their numbers do not fit 32 bits.
struct GpuWhole {
    GpuWholeAxis rows;
    GpuWholeAxis columns;
    std::int64_t row_step;    // elements from a tap to the one below
    std::int32_t square;      // 2, 3 or 5: windows of so many rows and columns side by side; 0: any others
    std::int32_t stack_bits;  // a lane makes 2^stack_bits outputs one below the other: 0, or most_stack_bits
};

struct GpuPool {
    GpuPlanes x;
    GpuPlanes y;
    std::uint64_t argmax;  // dense; 0 where it is not wanted
    WindowRule rule;
    GpuWhole whole;
    GpuUnits units;
};

// Along one axis, not dilated: the windows that an element of the input has, in numbers of 32 bits.
struct GpuNearAxis {
    std::int32_t in;
    std::int32_t out;
    std::int32_t window;
    std::int32_t stride;
    std::int32_t padding;
    std::int32_t counted_padding;  // that counts as taps
    // a / stride = a * multiplier >> 31 + shift, for 0 <= a < 2^31: a GPU divides by several instructions.
    std::uint32_t multiplier;
    std::int32_t shift;

    IIR2D_DEVICE std::int32_t over_stride(std::int32_t a) const {
        const std::uint64_t product = std::uint64_t{static_cast<std::uint32_t>(a)} * multiplier;
        return static_cast<std::int32_t>(product >> (31 + shift));
    }
    // The first window that has position i, and the end of those that do.
    IIR2D_DEVICE std::int32_t first(std::int32_t i) const {
        const std::int32_t a = i + padding - window;
        return a < 0 ? 0 : over_stride(a + stride);
    }
    IIR2D_DEVICE std::int32_t end(std::int32_t i) const {
        const std::int32_t o = over_stride(i + padding) + 1;
        return o < out ? o : out;
    }
    // As AxisWindows has it for an average.
    IIR2D_DEVICE std::int32_t taps(std::int32_t o) const {
        const std::int32_t start = o * stride - padding;
        const std::int32_t low = start < -counted_padding ? -counted_padding : start;
        const std::int32_t end = start + window;
        return (end < in + counted_padding ? end : in + counted_padding) - low;
    }
};

// The windows of an element, where it has few.
struct GpuNear {
    GpuNearAxis rows;
    GpuNearAxis columns;
    std::int32_t most;  // along an axis: 1 to 3; 0: more, or others than the axes can tell
};

// Addresses that an op does not read are 0.
struct GpuPoolBackward {
    GpuPlanes x;
    GpuPlanes y;
    GpuPlanes dy;
    GpuPlanes dx;
    std::uint64_t argmax;  // dense
    WindowRule rule;
    GpuNear near;
    GpuUnits units;
};

}  // namespace iir2d::pool
