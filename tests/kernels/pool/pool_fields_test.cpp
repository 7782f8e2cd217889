// SPDX-License-Identifier: MIT
// Fields that an op does not read change nothing: neither what a pass makes nor what a plan says of itself.
#include <gtest/gtest.h>

#include "iir2d/iir2d_pool.h"
#include "tests/kernels/pool/pool_fields_testing.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

template <class T>
class PoolFields : public ::testing::Test {};
TYPED_TEST_SUITE(PoolFields, AllTypes, TypeName);

TYPED_TEST(PoolFields, ThatAnOpDoesNotReadChangeNoPass) {
    using T = TypeParam;
    int compared = 0;
    for (const PoolDesc& desc : all_cases()) {
        const auto x = stored<T>(uniform(elements(desc.shape), -1.0F, 1.0F, 3));
        const auto forward = run_in<T>(desc, x);
        const auto dy = stored<T>(uniform(forward.y.size(), -1.0F, 1.0F, 4));
        const auto dx = backward_in<T>(desc, x, forward, dy);
        for (const SpoiltDesc& spoilt : with_unread_fields(desc)) {
            SCOPED_TRACE(to_string(desc) + ", " + spoilt.field);
            const auto got = run_in<T>(spoilt.desc, x);
            ASSERT_TRUE(same_bits_but_nan(got.y, forward.y));
            ASSERT_EQ(got.argmax, forward.argmax);
            ASSERT_TRUE(same_bits_but_nan(backward_in<T>(spoilt.desc, x, got, dy), dx)) << "backward";
            ++compared;
        }
    }
    EXPECT_GT(compared, 500);
}

TEST(PoolFields, ThatAnOpDoesNotReadChangeNoReference) {
    for (const PoolDesc& desc : all_cases()) {
        const auto stored = uniform(elements(desc.shape), -1.0F, 1.0F, 3);
        const std::vector<double> x(stored.begin(), stored.end());
        const auto passes_of = [&](const PoolDesc& given) {
            std::vector<double> y(elements(*reference::pool_output_shape(given)));
            std::vector<double> dx(x.size());
            EXPECT_TRUE(reference::pool(given, x, y));
            EXPECT_TRUE(reference::pool_backward(given, x, y, y, dx));
            y.insert(y.end(), dx.begin(), dx.end());
            return y;
        };
        const auto expected = passes_of(desc);
        for (const SpoiltDesc& spoilt : with_unread_fields(desc)) {
            SCOPED_TRACE(to_string(desc) + ", " + spoilt.field);
            ASSERT_EQ(passes_of(spoilt.desc), expected);
        }
    }
}

TEST(PoolFields, ThatAnOpDoesNotReadChangeNothingThatAPlanSays) {
    for (const PoolDesc& desc : all_cases()) {
        const auto plan = *PoolPlan::make(cpu(), desc);
        for (const SpoiltDesc& spoilt : with_unread_fields(desc)) {
            SCOPED_TRACE(to_string(desc) + ", " + spoilt.field);
            const auto other = *PoolPlan::make(cpu(), spoilt.desc);
            EXPECT_EQ(other.kernel().variant, plan.kernel().variant);
            EXPECT_EQ(other.backward_kernel().variant, plan.backward_kernel().variant);
            EXPECT_EQ(other.precision().max_abs_error, plan.precision().max_abs_error);
            EXPECT_EQ(other.precision().statement, plan.precision().statement);
            const PoolWindow a = plan.window(0, 0);
            const PoolWindow b = other.window(0, 0);
            EXPECT_EQ(b.divisor, a.divisor);
            EXPECT_EQ(b.rows, a.rows);
            EXPECT_EQ(b.columns, a.columns);
        }
    }
}

// Through C, by hand: four windows of one 2x2 sample group each hand a quarter back.
TEST(PoolFields, AdaptiveAverageThroughCDividesByTheWindow) {
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.op = IIR2D_POOL_ADAPTIVE_AVG;
    p.n = p.c = 1;
    p.height = p.width = 4;
    p.output_h = p.output_w = 2;
    p.divisor_override = 3;
    p.count_include_pad = 1;
    p.ceil_mode = 1;
    p.padding_h = p.padding_w = 7;
    p.window_h = -1;
    p.stride_h = 5;
    p.p = -2.0;
    const std::vector<float> x(16, 1.0F);
    const std::vector<float> dy(4, 1.0F);
    std::vector<float> y(4);
    std::vector<float> dx(16);
    ASSERT_EQ(iir2d_pool_forward_cpu(x.data(), y.data(), nullptr, &p), IIR2D_STATUS_OK);
    EXPECT_EQ(y, std::vector<float>(4, 1.0F));
    ASSERT_EQ(iir2d_pool_backward_cpu(nullptr, nullptr, dy.data(), dx.data(), nullptr, &p), IIR2D_STATUS_OK);
    EXPECT_EQ(dx, std::vector<float>(16, 0.25F));
}

// 0 is no divisor, and an op that has none does not ask.
TEST(PoolFields, AdaptiveAverageOfADivisorOfZeroIsFinite) {
    const PoolDesc desc{
        .op = PoolOp::adaptive_avg, .shape = {.h = 4, .w = 4}, .divisor_override = 0, .output = {2, 2}};
    const std::vector<float> x(16, 1.0F);
    const auto dx = backward_in<float>(desc, x, run_in<float>(desc, x), std::vector<float>(4, 1.0F));
    EXPECT_EQ(dx, std::vector<float>(16, 0.25F));
}

}  // namespace
