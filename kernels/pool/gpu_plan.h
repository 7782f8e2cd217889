// SPDX-License-Identifier: MIT
// A pooling job as launches: a pure function of the descriptor and its geometry.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "iir2d/config.h"
#include "iir2d/plan.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_parameters.h"

namespace iir2d::pool {

constexpr unsigned most_gpu_threads = 256;  // that the kernels are compiled for (gpu_kernel_list.h)
constexpr std::int64_t gpu_steps = 4;

struct GpuPooling {
    std::string kernel;        // without the argmax
    std::string index_kernel;  // with it; "" where there is none
    std::string
        two_by_two_kernel;  // in place of `kernel` where the memory allows it; "" where windows do not
    std::string backward_kernel;
    ElementType accumulator = ElementType::f32;
    std::int64_t planes = 1;
    WindowRule rule = {};
    GpuWhole whole = {};
    GpuNear near = {};
    unsigned threads = most_gpu_threads;  // of a block
    std::int64_t most_steps = gpu_steps;  // of a warp in a row
    // Outputs of a job in which a lane makes several one below the other: fewer leave a large GPU idle.
    std::int64_t least_stacked = 1 << 21;
};

GpuPooling make_gpu_pooling(const PoolDesc& desc, const PoolGeometry& geometry);

// Returns the pooling as a config has it: block, steps and pairs.
GpuPooling by_config(GpuPooling pooling, const Config& config);

// Describes one launch. `parameters` is the struct that the kernel takes.
struct GpuLaunch {
    const char* kernel;
    unsigned blocks;
    unsigned threads;
    const void* parameters;
};
using MakeLaunch = std::function<bool(const GpuLaunch&)>;

// Calls `launch` for the launches in order, with addresses. argmax 0: not wanted. Stops where `launch`
// returns false. Allocates nothing.
void for_each_launch(const GpuPooling& pooling, const GpuPlanes& x, const GpuPlanes& y, std::uint64_t argmax,
                     const MakeLaunch& launch);

// The arrays of a backward pass; those that the op does not read have no address.
struct GpuGradients {
    GpuPlanes x = {};
    GpuPlanes y = {};
    GpuPlanes dy = {};
    GpuPlanes dx = {};
    std::uint64_t argmax = 0;
};
void for_each_launch(const GpuPooling& pooling, const GpuGradients& data, const MakeLaunch& launch);

}  // namespace iir2d::pool
