// SPDX-License-Identifier: MIT
#include "kernels/support/cpu_caches.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace iir2d::support {

namespace {

#if defined(__x86_64__) || defined(__i386__)

// Intel's leaf 4 (Software Developer's Manual, volume 2, CPUID) and AMD's 0x8000001D (Architecture
// Programmer's Manual, volume 3, appendix E) list caches in one format. Each leaves the other's empty.
constexpr unsigned leaves[] = {4, 0x8000001D};

CpuCaches ask() {
    CpuCaches caches;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    unsigned last_level = 0;
    for (const unsigned leaf : leaves) {
        for (unsigned i = 0; __get_cpuid_count(leaf, i, &a, &b, &c, &d) != 0 && (a & 31U) != 0; ++i) {
            constexpr unsigned data = 1;
            constexpr unsigned instructions = 2;
            const unsigned type = a & 31U;
            const unsigned level = a >> 5U & 7U;
            const std::int64_t ways = (b >> 22U) + 1;
            if (type == instructions) continue;
            if (type == data && level == 1) caches.l1d_ways = static_cast<int>(ways);
            if (level <= last_level) continue;
            const std::int64_t line = (b & 4095U) + 1;
            const std::int64_t partitions = (b >> 12U & 1023U) + 1;
            last_level = level;
            caches.last_level_bytes = ways * partitions * line * (std::int64_t{c} + 1);
        }
    }
    // Virtual machines on AMD may lack that leaf. The ways are also in an older one, 255 where the cache is
    // fully associative; Intel leaves them 0.
    constexpr unsigned first_level = 0x80000005;
    if (caches.l1d_ways == 0 && __get_cpuid(first_level, &a, &b, &c, &d) != 0)
        caches.l1d_ways = static_cast<int>(c >> 16U & 255U);
    return caches;
}

#else

CpuCaches ask() {
    return {};
}

#endif

}  // namespace

CpuCaches cpu_caches() {
    static const CpuCaches caches = ask();
    return caches;
}

}  // namespace iir2d::support
