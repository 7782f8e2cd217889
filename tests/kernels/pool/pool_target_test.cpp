// SPDX-License-Identifier: MIT
// One set of bits on every instruction set. That is chosen once in a process, so each is a process of its
// own.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using ::testing::HasSubstr;

// What every path through the kernels makes of values of every kind.
std::string bits_of_all_paths() {
    const iir2d::Shape shape{2, 1, 47, 91};
    const auto extremes = pool_testing::with_extremes(pool_testing::elements(shape), 31);
    const auto usual = pool_testing::uniform(pool_testing::elements(shape), -1.0F, 1.0F, 32);
    std::string bits;
    const auto append = [&bits](const auto& values) {
        bits.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    };
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        for (const double p : {1.0, 1.5, 2.0, 3.0, 1e9}) {
            if (op != PoolOp::lp && p != 1.0) continue;
            for (const std::int64_t window : {1, 2, 3, 5, 9, 31}) {
                for (const std::int64_t stride : {1, 2, 3, 70}) {
                    // Of the longest along x, as long as vectors keep parts in registers, and longer.
                    const std::int64_t across = window < 31 ? window : stride == 1 ? 65 : 87;
                    const PoolDesc desc{.op = op,
                                        .shape = shape,
                                        .window = {window, across},
                                        .stride = Extent{stride, stride},
                                        .ceil_mode = true,
                                        .p = p};
                    for (const auto* x : {&extremes, &usual}) {
                        const auto pooled = pool_testing::run(desc, *x, 2);
                        append(pooled.y);
                        append(pooled.argmax);
                        if (op == PoolOp::max) append(pool_testing::run(desc, *x, 1, false).y);
                    }
                }
            }
        }
    }
    return bits;
}

#if defined(IIR2D_HAVE_HIGHWAY) && defined(__x86_64__)

// Each ends its process.
void write_bits(const std::filesystem::path& file) {
    std::ofstream(file, std::ios::binary) << bits_of_all_paths();
    std::exit(0);
}
void compare_bits_on_sse4(const std::filesystem::path& file) {
    setenv("IIR2D_CPU_TARGET", "SSE4", 1);
    std::ifstream in(file, std::ios::binary);
    const std::string best(std::istreambuf_iterator<char>(in), {});
    const std::string bits = bits_of_all_paths();
    const auto plan = iir2d::PoolPlan::make(pool_testing::cpu(), {.shape = {1, 1, 4, 4}});
    if (plan->kernel().architecture != "SSE4" || bits.size() < 1000000) std::exit(4);
    std::exit(bits == best ? 0 : 3);
}

TEST(PoolTargetDeathTest, TheBitsDoNotDependOnTheInstructionSet) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    // The processes inherit the name.
    constexpr const char* name = "IIR2D_TEST_POOL_BITS";
    setenv(name, (std::filesystem::temp_directory_path() / std::to_string(getpid())).c_str(), 0);
    const std::filesystem::path file(std::getenv(name));
    EXPECT_EXIT(write_bits(file), ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(compare_bits_on_sse4(file), ::testing::ExitedWithCode(0), "");
    std::filesystem::remove(file);
}

TEST(PoolTargetDeathTest, AnUnknownTargetIsRefusedByName) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("IIR2D_CPU_TARGET", "MMX", 1);
            const auto plan = iir2d::PoolPlan::make(*iir2d::Device::cpu(1), {.shape = {1, 1, 4, 4}});
            std::fprintf(stderr, "%s", plan ? "accepted" : plan.error().message.c_str());
            std::exit(plan ? 0 : 3);
        },
        ::testing::ExitedWithCode(3), HasSubstr("IIR2D_CPU_TARGET is \"MMX\""));
}

#endif

TEST(PoolTarget, IsInTheKernelsIdentity) {
    const auto plan = iir2d::PoolPlan::make(pool_testing::cpu(), {.shape = {1, 1, 4, 4}});
    ASSERT_TRUE(plan);
    const char* forced = std::getenv("IIR2D_CPU_TARGET");
    if (forced != nullptr) {
        EXPECT_EQ(plan->kernel().architecture, forced);
    } else {
        EXPECT_FALSE(plan->kernel().architecture.empty());
    }
    EXPECT_GT(bits_of_all_paths().size(), 1000000U);
}

}  // namespace
