// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace iir2d::support {

enum class Access { read, write };

// The bytes of a page, at whose end the processor's own prefetchers stop: how far ahead to prefetch what
// comes from memory.
inline constexpr std::int64_t page_bytes = 4096;

// Asks for the cache line that lies `bytes` from an address, to be read or written soon. It need not be the
// program's memory: nothing happens then.
template <Access Use = Access::read>
inline void prefetch(const void* address, std::int64_t bytes = 0) {
#if defined(__GNUC__)
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes);
    __builtin_prefetch(reinterpret_cast<const void*>(at), Use == Access::write ? 1 : 0);
#else
    static_cast<void>(address);
    static_cast<void>(bytes);
#endif
}

}  // namespace iir2d::support
