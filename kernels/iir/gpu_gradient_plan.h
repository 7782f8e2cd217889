// SPDX-License-Identifier: MIT
// The gradient of a filter's parameters on a GPU as launches over planes of double: a pure function of the
// filter, the border and the shape, as gpu_plan.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/iir/gpu_gradient.h"
#include "kernels/iir/gpu_gradient_ends.h"
#include "kernels/iir/gpu_plan.h"

namespace iir2d::iir {

// Holds what a section adds to the gradient, without addresses; `u` and so on are buffers, -1 for none.
struct GpuSectionGradient {
    GpuProducts products = {};
    GpuEnds ends = {};
    GpuGradientOfPlane of_plane = {};
    int u = -1;
    int y = -1;
    int g = -1;
    int l = -1;
    int out = -1;
    int add = -1;
};

// Runs a part of the filter from one buffer to another, and then what a section adds, if it is one's costate.
struct GpuGradientStep {
    GpuFilter run;
    int from = -1;
    int to = -1;
    int scratch = -1;
    std::optional<GpuSectionGradient> section;
};

// Plans the gradients of planes that have one filter and are computed at once. Buffers hold all of them,
// dense; x and dy lie in the first two.
struct GpuGradient {
    static constexpr int x = 0;
    static constexpr int dy = 1;

    std::vector<GpuGradientStep> steps;
    Shape shape;  // of the planes at once
    int buffers = 2;
    int parameters = 0;

    std::int64_t planes() const { return shape.n * shape.c; }
    std::size_t buffer_bytes() const;
    // Return the bytes of the sums of products and of the lines' ends.
    std::size_t products_bytes() const;
    std::size_t ends_bytes() const;
    std::size_t all_buffers_bytes() const { return static_cast<std::size_t>(buffers) * buffer_bytes(); }
    std::size_t workspace_bytes() const { return all_buffers_bytes() + products_bytes() + ends_bytes(); }
};

// Makes a plan. desc.filter is a row of the table, `data` make_filter()'s of it; desc.shape holds the planes
// that are computed at once.
Result<GpuGradient> make_gpu_gradient(const FilterDesc& desc, const FilterData& data);

// Calls `launch` for the launches in order, with addresses: `workspace` is workspace_bytes() long and holds x
// and dy, `gradient` takes the planes' gradients, one after the other. Stops where `launch` returns false.
// Allocates nothing.
void for_each_launch(const GpuGradient& gradient, std::uint64_t workspace, std::uint64_t of_planes,
                     const MakeGpuLaunch& launch);

// Calls `launch` for the launch that adds up the planes' gradients.
void launch_sum(std::uint64_t of_planes, std::int64_t planes, int parameters, std::uint64_t gradient,
                const MakeGpuLaunch& launch);

}  // namespace iir2d::iir
