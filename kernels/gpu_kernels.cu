// SPDX-License-Identifier: MIT
// The entry points of every GPU kernel: one parameter struct each, by value. The bodies and their list are
// shared with the tests' executor.
#include "kernels/gpu_kernel_list.h"

// The most threads of a block, and how many blocks one multiprocessor has registers for: 1 where the list
// does not say.
#define IIR2D_BOUNDS(threads, blocks, ...) __launch_bounds__(threads, blocks)
#define IIR2D_ENTRY(name, Parameters, body, ...)              \
    extern "C" __global__ void IIR2D_BOUNDS(__VA_ARGS__, 1, ) \
        name(const __grid_constant__ Parameters parameters) { \
        const iir2d::gpu::Block block;                        \
        body(parameters, block);                              \
    }

IIR2D_GPU_KERNELS(IIR2D_ENTRY)
