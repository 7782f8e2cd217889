// SPDX-License-Identifier: MIT
// Describes this machine, which is asked once.
#pragma once

#include <cstdint>
#include <string>

#include "iir2d/device.h"
#include "iir2d/error.h"

namespace iir2d::cuda {
struct Facts;
}

namespace iir2d::tune {

// Holds sizes in bytes; 0: the system does not say.
struct Caches {
    std::int64_t l2 = 0;
    std::int64_t l3 = 0;
};
const Caches& caches();

// Returns machine_id(), "" where it cannot be had.
const std::string& this_machine();

// A GPU as what is decided for it depends on it.
struct GpuHost {
    std::string machine;  // its id
    std::string target;   // "sm_90"
    std::int64_t cache = 0;
    int multiprocessors = 1;
};
GpuHost gpu_host(const cuda::Facts& facts);
Result<GpuHost> gpu_host(const Device& gpu);

}  // namespace iir2d::tune
