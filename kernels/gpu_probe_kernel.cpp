// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/kernel_library.h"
#include "kernels/gpu_kernel_list.h"

namespace iir2d::cuda {

#define IIR2D_KERNEL_NAME(name, ...) #name,

const char* probe_kernel() {
    static constexpr const char* names[] = {IIR2D_GPU_KERNELS(IIR2D_KERNEL_NAME)};
    return names[0];
}

}  // namespace iir2d::cuda
