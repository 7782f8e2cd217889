// SPDX-License-Identifier: MIT
// Runs the GPU kernels' bodies on the CPU, as a GPU might: blocks in an order shuffled by a seed, the warps
// of a block as fibers that meet at its barriers in a shuffled order, shared memory poisoned before a block
// starts. With contraction off on both sides, the results are a GPU's to the bit. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpu_test {

struct LaunchShape {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
};

struct ExecutorOptions {
    std::uint64_t seed = 0;  // 0: blocks and warps in rising order
};

// ExecutorOptions from the environment: IIR2D_EXECUTOR_SEED.
ExecutorOptions options_from_environment();

// run() throws std::runtime_error for a launch that a GPU would refuse or hang in: a shape that is not
// one-dimensional or not whole warps, more threads or shared memory than the kernel's bounds allow, a warp
// that leaves while others wait at a barrier, a write beyond the end of shared memory.
struct KernelEntry {
    const char* name;
    std::size_t parameter_bytes;
    void (*run)(const LaunchShape&, const void* parameters, const ExecutorOptions&);
};

// Every kernel of the product.
std::span<const KernelEntry> kernel_entries();

}  // namespace gpu_test
