// SPDX-License-Identifier: MIT
// The jobs of docs/gpu-traffic.md, run by the kernels' PTX: what each launch of them counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/ptx/ptx.h"

namespace gpu_traffic {

struct CountedLaunch {
    std::string kernel;
    unsigned blocks = 0;
    unsigned threads = 0;
    unsigned shared_bytes = 0;
    std::string line;  // of JSON
    workbench::ptx::Counts counts;
};

struct CountedJob {
    std::string name;
    std::vector<CountedLaunch> launches;
};

// Runs filters 1 to 8 and every pooling op, forward and backward, on an image of `size` x `size` floats, on
// two threads. Throws std::runtime_error where something is found or a launch fails.
std::vector<CountedJob> count_jobs(const workbench::ptx::Module& module, std::int64_t size);

// How long the launches of filters 1 to 8 took, one after the other on the calling thread.
struct FilterRate {
    std::string name;
    double seconds = 0;  // of a processor
    double lane_instructions = 0;
};
std::vector<FilterRate> filter_rates(const workbench::ptx::Module& module, std::int64_t size,
                                     workbench::ptx::Checks checks);

}  // namespace gpu_traffic
