// SPDX-License-Identifier: MIT
#include <array>

#include "kernels/gpu_kernel_list.h"
#include "tests/gpu/executor/block_runner.h"

namespace gpu_test {

#define GPU_TEST_BODY(...) __VA_ARGS__
#define GPU_TEST_THREADS(threads, ...) threads
#define GPU_TEST_ENTRY(name, Parameters, body, ...) \
    KernelEntry{#name, sizeof(Parameters),          \
                run_kernel<Parameters, GPU_TEST_BODY body, GPU_TEST_THREADS(__VA_ARGS__, )>},

std::span<const KernelEntry> kernel_entries() {
    static constexpr auto entries = std::to_array<KernelEntry>({IIR2D_GPU_KERNELS(GPU_TEST_ENTRY)});
    return entries;
}

}  // namespace gpu_test
