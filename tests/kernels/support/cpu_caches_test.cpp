// SPDX-License-Identifier: MIT
// The caches are those that the system names.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "kernels/support/cpu_caches.h"

namespace {

// One line of what Linux says of cache `index` of the first processor; empty where it does not.
std::string read(int index, const std::string& file) {
    std::string line;
    std::getline(
        std::ifstream("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + file), line);
    return line;
}

TEST(CpuCaches, AreThoseThatTheSystemNames) {
    const iir2d::support::CpuCaches caches = iir2d::support::cpu_caches();
#if defined(__x86_64__) || defined(__i386__)
    std::string last_size;
    std::string l1d_ways;
    for (int i = 0; !read(i, "level").empty(); ++i) {
        if (read(i, "type") != "Instruction") last_size = read(i, "size");
        if (read(i, "type") == "Data" && read(i, "level") == "1") l1d_ways = read(i, "ways_of_associativity");
    }
    if (last_size.empty() || l1d_ways.empty()) GTEST_SKIP() << "the system does not name its caches";
    EXPECT_EQ(caches.l1d_ways, std::stoi(l1d_ways));
    if (caches.last_level_bytes == 0) GTEST_SKIP() << "CPUID does not say how large the caches are";
    EXPECT_EQ(std::to_string(caches.last_level_bytes >> 10) + "K", last_size);
#else
    EXPECT_EQ(caches.l1d_ways, 0);
    EXPECT_EQ(caches.last_level_bytes, 0);
#endif
}

}  // namespace
