// SPDX-License-Identifier: MIT
// The processor's data caches, which rules for speed depend on.
#pragma once

#include <cstdint>

namespace iir2d::support {

// 0 where it is not known.
struct CpuCaches {
    int l1d_ways = 0;                   // associativity of the first-level data cache
    std::int64_t last_level_bytes = 0;  // size of the last level, which other cores may share
};

// Returns what CPUID says of this processor; zeros where it is not an x86. Asks once and reads no file.
// Thread-safe.
CpuCaches cpu_caches();

}  // namespace iir2d::support
