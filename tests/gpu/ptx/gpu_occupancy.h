// SPDX-License-Identifier: MIT
// How many warps of a kernel a multiprocessor holds: computed from registers, shared memory and the limits
// that CUDA's documentation gives ("Technical Specifications per Compute Capability", CUDA 13), not asked of
// a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpu_traffic {

struct Multiprocessor {
    std::string_view architecture;
    unsigned warps;
    unsigned blocks;
    unsigned shared_bytes;
    unsigned reserved_bytes;  // of shared memory, for each block
};

constexpr Multiprocessor multiprocessors[] = {
    {"sm_75", 32, 16, 64 << 10, 0},        {"sm_80", 64, 32, 164 << 10, 1 << 10},
    {"sm_86", 48, 16, 100 << 10, 1 << 10}, {"sm_89", 48, 24, 100 << 10, 1 << 10},
    {"sm_90", 64, 32, 228 << 10, 1 << 10}, {"sm_100", 64, 32, 228 << 10, 1 << 10},
    {"sm_120", 48, 24, 100 << 10, 1 << 10}};

inline std::optional<Multiprocessor> multiprocessor(std::string_view architecture) {
    const auto* const found = std::ranges::find(multiprocessors, architecture, &Multiprocessor::architecture);
    if (found == std::end(multiprocessors)) return std::nullopt;
    return *found;
}

// Warps that reside at once. Registers are dealt out to a warp in 256s, and there are 65,536; a quarter of
// the multiprocessor holds a quarter of them, so warps are counted in fours.
inline unsigned resident_warps(const Multiprocessor& sm, unsigned registers, unsigned block_warps,
                               unsigned shared_bytes) {
    const unsigned of_a_warp = (registers * 32 + 255) / 256 * 256;
    const unsigned by_registers = 65536 / of_a_warp / 4 * 4 / block_warps;
    const unsigned block_bytes = (shared_bytes + sm.reserved_bytes + 127) / 128 * 128;
    const unsigned by_shared = block_bytes == 0 ? sm.blocks : sm.shared_bytes / block_bytes;
    return std::min({by_registers, by_shared, sm.warps / block_warps, sm.blocks}) * block_warps;
}

}  // namespace gpu_traffic
