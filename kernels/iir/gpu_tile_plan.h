// SPDX-License-Identifier: MIT
// Filters in tiles: which ones, in which tiles, and their launches. Pure functions of the filter and the
// shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "iir2d/plan.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/iir/passes.h"

namespace iir2d::iir {

struct GpuLaunch {
    const char* kernel;
    unsigned blocks;
    unsigned threads;
    unsigned shared_bytes;
    const void* parameters;
};

using MakeGpuLaunch = std::function<bool(const GpuLaunch&)>;

// The launches of a filter, without addresses.
struct GpuTiling {
    bool reversed = false;
    std::int64_t element = 0;  // bytes of a sample
    std::string name;          // of the kernel that writes
    std::string name_of_carries;
    std::string name_of_adding;
    unsigned shared_bytes = 0;
    unsigned shared_bytes_of_carries = 0;
    GpuTiles tiles = {};
    GpuCarries rows = {};
    GpuCarries columns = {};
    std::int64_t column_carries = 0;  // bytes from the workspace's beginning
    std::size_t workspace_bytes = 0;
};

// Returns the tilings in order, each from the output of the one before: one for a pass forwards along each
// axis, a second for a pass backwards along each behind it. None where the filter's passes are not what tiles
// can do, or the image is smaller than a square. `large`: in tiles of large planes, whatever the planes.
std::vector<GpuTiling> make_gpu_tilings(const FilterDesc& desc, const std::vector<Pass>& rows,
                                        const std::vector<Pass>& columns, bool large);

// Launches a kernel over any number of blocks, by as many launches as that takes; false where one failed.
// `first_block` is one of the parameters.
bool launch_blocks(GpuLaunch launch, std::int64_t blocks, std::int64_t& first_block,
                   const MakeGpuLaunch& make);

// Calls `launch` for the launches in order; `y` may be `x`. Stops where `launch` returns false, and returns
// that.
bool for_each_launch(const GpuTiling& tiling, std::int64_t planes, const GpuPlanes& x, const GpuPlanes& y,
                     std::uint64_t workspace, const MakeGpuLaunch& launch);

}  // namespace iir2d::iir
