// SPDX-License-Identifier: MIT
// The memory a process may still take is what its own limits leave of the machine's.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/support/memory.h"
#include "tests/sanitized.h"

namespace workbench {
namespace {

TEST(AvailableMemory, IsSomething) {
    const auto bytes = available_memory_bytes();
    ASSERT_TRUE(bytes);
    EXPECT_GT(*bytes, std::uint64_t{1} << 20);
}

TEST(AvailableMemory, IsNoMoreThanTheVariableSays) {
    ASSERT_EQ(setenv("IIR2D_MEMORY_LIMIT", "12345", 1), 0);
    EXPECT_EQ(available_memory_bytes(), 12345U);
    ASSERT_EQ(setenv("IIR2D_MEMORY_LIMIT", "not a number", 1), 0);
    EXPECT_GT(available_memory_bytes(), std::uint64_t{1} << 20);
    ASSERT_EQ(unsetenv("IIR2D_MEMORY_LIMIT"), 0);
}

TEST(AvailableMemory, IsNoMoreThanTheAddressSpaceHasLeft) {
    if (sanitized) GTEST_SKIP() << "a sanitizer's allocator ends a process that has no address space left";
    const pid_t child = fork();
    if (child == 0) {
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = 0;  // less than there is already
        setrlimit(RLIMIT_AS, &limit);
        _exit(available_memory_bytes() == 0U ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

#if defined(__linux__)
// The flags of the mapping that an address lies in, as the system lists them: "hg" is the advice.
std::string flags_at(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
            inside = begin <= at && at < end;
        if (inside && line.starts_with("VmFlags:")) return line;
    }
    return "none";
}

TEST(MemoryBlock, AsksForHugePagesWhereItIsLarge) {
    if (sanitized) GTEST_SKIP() << "a sanitizer's allocator has mappings of its own";
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
        GTEST_SKIP() << "the system has none";
    const auto large = memory_block(std::size_t{8} << 20);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.get()) % (std::uintptr_t{2} << 20), 0U);
    EXPECT_NE(flags_at(large.get()).find(" hg"), std::string::npos) << flags_at(large.get());
    const auto small = memory_block(1 << 16);
    ASSERT_NE(small, nullptr);
    EXPECT_EQ(flags_at(small.get()).find(" hg"), std::string::npos) << flags_at(small.get());
}
#endif

}  // namespace
}  // namespace workbench
