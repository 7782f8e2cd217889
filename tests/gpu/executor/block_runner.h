// SPDX-License-Identifier: MIT
// How the executor runs a launch, apart from which kernel it is. Tests that plant faults in a kernel run
// their variants through run_kernel().
#pragma once

#include <functional>

#include "kernels/support/warp.h"
#include "tests/gpu/executor/executor.h"

namespace gpu_test {

void run_blocks(const LaunchShape& shape, unsigned most_threads, const ExecutorOptions& options,
                const std::function<void(const iir2d::gpu::Block&)>& body);

template <class Parameters, auto Body, unsigned MostThreads>
void run_kernel(const LaunchShape& shape, const void* parameters, const ExecutorOptions& options) {
    const auto& typed = *static_cast<const Parameters*>(parameters);
    run_blocks(shape, MostThreads, options, [&](const iir2d::gpu::Block& block) { Body(typed, block); });
}

}  // namespace gpu_test
