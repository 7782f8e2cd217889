// SPDX-License-Identifier: MIT
#include "core/benchmark/cache_eviction.h"

#include <algorithm>
#include <atomic>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace workbench {

namespace {

std::size_t last_level_cache() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size > 0) return static_cast<std::size_t>(size);
#endif
    return std::size_t{64} << 20;
}

}  // namespace

CacheEviction::CacheEviction()
    : m_memory(std::clamp(2 * last_level_cache(), std::size_t{64} << 20, std::size_t{1} << 30)) {}

void CacheEviction::evict() {
    for (std::size_t i = 0; i < m_memory.size(); i += 64) ++m_memory[i];
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace workbench
