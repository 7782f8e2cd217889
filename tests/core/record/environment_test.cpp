// SPDX-License-Identifier: MIT
#include "core/record/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/support/files.h"

namespace workbench {
namespace {

template <class T>
void expect_value_or_reason(const Fact<T>& fact, const char* what) {
    EXPECT_NE(fact.value.has_value(), !fact.reason.empty()) << what << ": exactly one of value and reason";
}

TEST(Environment, HasAValueOrAReasonForEveryFact) {
    Environment e = capture_environment(2);
    EXPECT_FALSE(e.load_after.value);
    EXPECT_FALSE(e.load_after.reason.empty());
    finish_environment(e);
    expect_value_or_reason(e.host, "host");
    expect_value_or_reason(e.cpu_model, "cpu_model");
    expect_value_or_reason(e.physical_cores, "physical_cores");
    expect_value_or_reason(e.governor, "governor");
    expect_value_or_reason(e.load_before, "load_before");
    expect_value_or_reason(e.load_after, "load_after");
    expect_value_or_reason(e.memory_total_bytes, "memory_total_bytes");
    expect_value_or_reason(e.memory_available_bytes, "memory_available_bytes");
    expect_value_or_reason(e.commit, "commit");
    expect_value_or_reason(e.dirty, "dirty");
    expect_value_or_reason(e.library_path, "library_path");
    expect_value_or_reason(e.library_sha256, "library_sha256");
    EXPECT_NE(e.gpus.empty(), e.gpu_reason.empty());
    EXPECT_EQ(e.threads, 2);
    EXPECT_GE(e.logical_cores, 1);
    EXPECT_FALSE(e.compiler.empty());
    EXPECT_FALSE(e.build_fingerprint.empty());
}

#if defined(__linux__)
TEST(Environment, NamesTheLibraryThatComputes) {
    const Environment e = capture_environment(1);
    ASSERT_TRUE(e.library_path.value) << e.library_path.reason;
    EXPECT_THAT(std::filesystem::path(*e.library_path.value).filename().string(),
                ::testing::StartsWith("libiir2d.so"));
    ASSERT_TRUE(e.library_sha256.value) << e.library_sha256.reason;
    EXPECT_EQ(*e.library_sha256.value, *sha256_of_file(*e.library_path.value));
    EXPECT_THAT(e.kernel, ::testing::StartsWith("Linux "));
    EXPECT_TRUE(e.memory_total_bytes.value);
    EXPECT_TRUE(e.load_before.value);
}
#endif

}  // namespace
}  // namespace workbench
