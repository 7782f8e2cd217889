// SPDX-License-Identifier: MIT
// What the operating system says of the processor and the memory; nothing where it does not say.
#pragma once

#include <optional>
#include <string>

namespace iir2d::device {

std::optional<std::string> processor_name();
std::optional<std::string> physical_cores();
// "48K". The cache of data at level 1, the one of both from level 2 on.
std::optional<std::string> cache_size(int level);
// Those of the instruction sets in use here that this processor has.
std::optional<std::string> simd_features();
struct MemoryMebibytes {
    std::optional<std::string> total;
    std::optional<std::string> available;
};
MemoryMebibytes memory_mebibytes();

}  // namespace iir2d::device
