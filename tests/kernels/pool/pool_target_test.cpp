// SPDX-License-Identifier: MIT
// One set of bits on every instruction set. That is chosen once in a process, so each is a process of its
// own.
#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using ::testing::HasSubstr;

// The gradient of a sum of norms.
std::vector<float> backward(const PoolDesc& desc, const std::vector<float>& x, const std::vector<float>& y) {
    using iir2d::ElementType;
    const auto plan = pool_testing::plan_on(pool_testing::cpu(2), desc);
    EXPECT_TRUE(plan);
    const auto dy = pool_testing::uniform(y.size(), -1.0F, 1.0F, 33);
    std::vector<float> dx(x.size());
    const iir2d::Shape output = plan->output_shape();
    EXPECT_TRUE(plan->backward({x.data(), ElementType::f32, desc.shape}, {y.data(), ElementType::f32, output},
                               {dy.data(), ElementType::f32, output},
                               {dx.data(), ElementType::f32, desc.shape}, {}));
    return dx;
}

// Of every bit that every path through the kernels makes of values of every kind.
std::string make_checksum() {
    const iir2d::Shape shape{2, 1, 47, 91};
    const auto extremes = pool_testing::with_extremes(pool_testing::elements(shape), 31);
    const auto usual = pool_testing::uniform(pool_testing::elements(shape), -1.0F, 1.0F, 32);
    std::uint64_t sum = 14695981039346656037U;
    std::size_t count = 0;
    const auto add = [&](const auto& values) {
        for (const auto value : values) {
            using Bits = std::conditional_t<sizeof value == 4, std::uint32_t, std::uint64_t>;
            sum = (sum ^ std::bit_cast<Bits>(value)) * 1099511628211U;
        }
        count += values.size();
    };
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 1e9}) {
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
                        add(pooled.y);
                        add(pooled.argmax);
                        if (op == PoolOp::max) add(pool_testing::run(desc, *x, 1, false).y);
                        if (op == PoolOp::lp && window <= 5 && stride <= 3) add(backward(desc, *x, pooled.y));
                    }
                }
            }
        }
    }
    for (const PoolOp op : {PoolOp::adaptive_max, PoolOp::adaptive_avg}) {
        for (const Extent output : {Extent{5, 9}, {30, 40}, {46, 90}, {60, 200}}) {
            const PoolDesc desc{.op = op, .shape = shape, .output = output};
            for (const auto* x : {&extremes, &usual}) add(pool_testing::run(desc, *x, 2).y);
        }
    }
    EXPECT_GT(count, 500'000U);
    return "sum " + std::to_string(sum);
}

const std::string& checksum() {
    static const std::string made = make_checksum();
    return made;
}

#if defined(IIR2D_HAVE_HIGHWAY) && defined(__x86_64__)

TEST(PoolTargetDeathTest, TheBitsDoNotDependOnTheInstructionSet) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    // The parent's sum is asked for after the child has gone its own way.
    const auto is_ours = ::testing::Truly(
        [](const std::string& printed) { return printed.find(checksum()) != std::string::npos; });
    EXPECT_EXIT(
        {
            setenv("IIR2D_CPU_TARGET", "SSE4", 1);
            const auto plan = iir2d::PoolPlan::make(pool_testing::cpu(), {.shape = {1, 1, 4, 4}});
            std::fprintf(stderr, "%s", checksum().c_str());
            std::exit(plan->kernel().architecture == "SSE4" ? 0 : 4);
        },
        ::testing::ExitedWithCode(0), is_ours);
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
    EXPECT_FALSE(checksum().empty());
}

}  // namespace
