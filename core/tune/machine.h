// SPDX-License-Identifier: MIT
// Describes what measurements belong to: a machine and the kernels' sources.
#pragma once

#include <cstdint>
#include <string>

#include "core/support/error.h"
#include "iir2d/device.h"

namespace workbench::tune {

// A thing as canonical JSON, and the first 16 hexadecimal digits of that text's SHA-256.
struct Identity {
    std::string id;
    std::string json;
};

// Names the processor: its name, instruction set, logical cores and caches. What the system does not say is
// null there. Of a GPU: its name, compute capability, multiprocessors and L2.
Result<Identity> machine_of(const iir2d::Device& device);

// Names what computes: `id` is kernels_id(), the JSON has that and the version.
Identity build_of_kernels(iir2d::Backend backend = iir2d::Backend::cpu);

struct CacheSizes {
    std::int64_t l2 = 0;  // bytes; 0: the system does not say
    std::int64_t l3 = 0;
};
CacheSizes cache_sizes();
// Returns the sizes that a machine's description names; a GPU has one, which stands for both.
CacheSizes cache_sizes_of(const std::string& machine_json);

// Returns whether an identity's id is that of its JSON. Not of builds, whose ids are the kernels'.
bool is_whole(const Identity& machine);

}  // namespace workbench::tune
