// SPDX-License-Identifier: MIT
// A pooling kernel's launch, by the executor.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/pool/gpu_plan.h"
#include "tests/gpu/executor/executor.h"

namespace gpu_pool_test {

inline void run_kernel(const iir2d::pool::GpuLaunch& launch, std::uint64_t seed) {
    const auto entries = gpu_test::kernel_entries();
    const auto entry = std::ranges::find(entries, std::string_view(launch.kernel),
                                         [](const auto& e) { return std::string_view(e.name); });
    if (entry == entries.end()) throw std::runtime_error("no kernel is called " + std::string(launch.kernel));
    entry->run({{launch.blocks, 1, 1}, {launch.threads, 1, 1}, 0}, launch.parameters, {.seed = seed});
}

}  // namespace gpu_pool_test
