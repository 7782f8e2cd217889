// SPDX-License-Identifier: MIT
// The memory a process may still take is what its own limits leave of the machine's.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace
}  // namespace workbench
