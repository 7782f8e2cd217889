// SPDX-License-Identifier: MIT
// Lists every GPU kernel once: X(name, parameter type, body, most threads of a block), and perhaps how many
// blocks a multiprocessor is to have registers for. gpu_kernels.cu makes entry points of it, the tests'
// executor a table.
#pragma once

#include "kernels/convert/gpu_kernel_list.h"
#include "kernels/iir/gpu_kernel_list.h"
#include "kernels/pool/gpu_kernel_list.h"

#define IIR2D_GPU_KERNELS(X) \
    IIR2D_IIR_KERNELS(X)     \
    IIR2D_POOL_KERNELS(X)    \
    IIR2D_CONVERT_KERNELS(X)
