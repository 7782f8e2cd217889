// SPDX-License-Identifier: MIT
// The entry points of every GPU kernel: one parameter struct each, by value. The bodies and their list are
// shared with the tests' executor.
#include "kernels/gpu_kernel_list.h"

#define IIR2D_ENTRY(name, Parameters, body, threads)          \
    extern "C" __global__ void __launch_bounds__(threads, 1)  \
        name(const __grid_constant__ Parameters parameters) { \
        const iir2d::gpu::Block block;                        \
        body(parameters, block);                              \
    }

IIR2D_GPU_KERNELS(IIR2D_ENTRY)
