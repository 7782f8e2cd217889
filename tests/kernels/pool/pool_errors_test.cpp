// SPDX-License-Identifier: MIT
// What a descriptor or a run can get wrong: the error names the field and its value, the plan and the
// reference say the same, and nothing is written.
#include <functional>

#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::ElementType;
using iir2d::ErrorCode;
using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::PoolPlan;
using iir2d::Shape;
using iir2d::TensorView;

struct BadDescriptor {
    const char* name;
    std::function<void(PoolDesc&)> spoil;
    ErrorCode code;
    const char* says;
};

constexpr double double_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double double_infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t max_int64 = std::numeric_limits<std::int64_t>::max();

const BadDescriptor bad_descriptors[] = {
    {"no planes", [](PoolDesc& d) { d.shape.n = 0; }, ErrorCode::invalid_dimension, "shape [0, 3, 8, 9]"},
    {"no rows", [](PoolDesc& d) { d.shape.h = -8; }, ErrorCode::invalid_dimension, "shape [1, 3, -8, 9]"},
    {"bytes beyond 63 bits",
     [](PoolDesc& d) {
         d.shape = {1, 1, 1, max_int64 / 4 + 1};
     },
     ErrorCode::invalid_dimension, "2305843009213693952]: its bytes as f32 do not fit 63 bits"},
    {"product beyond 63 bits",
     [](PoolDesc& d) {
         d.shape = {std::int64_t{1} << 32, std::int64_t{1} << 32, 8, 9};
     },
     ErrorCode::invalid_dimension, "shape [4294967296, 4294967296, 8, 9]"},
    {"window 0",
     [](PoolDesc& d) {
         d.window = {0, 2};
     },
     ErrorCode::invalid_argument, "window 0x2"},
    {"window negative",
     [](PoolDesc& d) {
         d.window = {2, -2};
     },
     ErrorCode::invalid_argument, "window 2x-2"},
    {"window absurd",
     [](PoolDesc& d) {
         d.window = {max_int64, 2};
     },
     ErrorCode::invalid_argument, "window 9223372036854775807x2"},
    {"stride 0",
     [](PoolDesc& d) {
         d.stride = Extent{1, 0};
     },
     ErrorCode::invalid_argument, "stride 1x0"},
    {"stride negative",
     [](PoolDesc& d) {
         d.stride = Extent{-1, 1};
     },
     ErrorCode::invalid_argument, "stride -1x1"},
    {"padding negative",
     [](PoolDesc& d) {
         d.padding = {0, -1};
     },
     ErrorCode::invalid_argument, "padding 0x-1"},
    {"padding more than half",
     [](PoolDesc& d) {
         d.window = {3, 3};
         d.padding = {1, 2};
     },
     ErrorCode::invalid_argument, "padding 1x2: must be at most half the window 3x3"},
    {"dilation 0",
     [](PoolDesc& d) {
         d.dilation = {0, 1};
     },
     ErrorCode::invalid_argument, "dilation 0x1"},
    {"window larger than the image",
     [](PoolDesc& d) {
         d.window = {2, 10};
     },
     ErrorCode::invalid_dimension,
     "window 2x10: with padding 0x0 and dilation 1x1 it does not fit the 8x9 input"},
    {"dilated beyond the image",
     [](PoolDesc& d) {
         d.dilation = {8, 1};
     },
     ErrorCode::invalid_dimension, "dilation 8x1"},
    {"largest window and dilation",
     [](PoolDesc& d) {
         d.window = {2147483647, 2147483647};
         d.dilation = d.window;
         d.padding = {1073741823, 1073741823};
     },
     ErrorCode::invalid_dimension, "does not fit"},
    {"p 0",
     [](PoolDesc& d) {
         d.op = PoolOp::lp;
         d.p = 0;
     },
     ErrorCode::invalid_argument, "p 0:"},
    {"p negative",
     [](PoolDesc& d) {
         d.op = PoolOp::lp;
         d.p = -1.5;
     },
     ErrorCode::invalid_argument, "p -1.5"},
    {"p NaN",
     [](PoolDesc& d) {
         d.op = PoolOp::lp;
         d.p = double_nan;
     },
     ErrorCode::invalid_argument, "p nan"},
    {"p infinite",
     [](PoolDesc& d) {
         d.op = PoolOp::lp;
         d.p = double_infinity;
     },
     ErrorCode::invalid_argument, "p inf"},
    {"lp with padding",
     [](PoolDesc& d) {
         d.op = PoolOp::lp;
         d.padding = {1, 0};
     },
     ErrorCode::invalid_argument, "padding 1x0: lp pooling takes no padding"},
    {"divisor 0",
     [](PoolDesc& d) {
         d.op = PoolOp::avg;
         d.divisor_override = 0;
     },
     ErrorCode::invalid_argument, "divisor_override 0"},
    {"adaptive",
     [](PoolDesc& d) {
         d.op = PoolOp::adaptive_max;
         d.output = {0, 1};
     },
     ErrorCode::invalid_argument, "output 0x1"},
    {"op out of range", [](PoolDesc& d) { d.op = static_cast<PoolOp>(17); }, ErrorCode::invalid_argument,
     "op 17"},
};

TEST(PoolErrors, DescriptorsNameTheFieldAndItsValue) {
    for (const BadDescriptor& bad : bad_descriptors) {
        SCOPED_TRACE(bad.name);
        PoolDesc desc{.shape = {1, 3, 8, 9}};
        ASSERT_TRUE(PoolPlan::make(pool_testing::cpu(), desc));
        bad.spoil(desc);
        const auto plan = PoolPlan::make(pool_testing::cpu(), desc);
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().code, bad.code);
        EXPECT_NE(plan.error().message.find(bad.says), std::string::npos) << plan.error().message;

        const auto shape = iir2d::reference::pool_output_shape(desc);
        ASSERT_FALSE(shape);
        EXPECT_EQ(shape.error().message, plan.error().message);
        std::vector<double> y{42.0};
        const auto judged = iir2d::reference::pool(desc, {}, y);
        ASSERT_FALSE(judged);
        EXPECT_EQ(judged.error().message, plan.error().message);
        EXPECT_EQ(y[0], 42.0);
    }
}

TEST(PoolErrors, FieldsOfOtherOpsAreNotLookedAt) {
    PoolDesc desc{.shape = {1, 1, 4, 4}, .p = -1.0, .divisor_override = 0, .output = {0, 0}};
    EXPECT_TRUE(PoolPlan::make(pool_testing::cpu(), desc));
    desc.divisor_override.reset();
    desc.op = PoolOp::avg;
    EXPECT_TRUE(PoolPlan::make(pool_testing::cpu(), desc));
}

// A run of a [1, 2, 4, 6] max plan whose views can be spoilt; y and argmax hold marks that must stay.
struct Attempt {
    std::vector<float> x = std::vector<float>(200, 1.0F);
    std::vector<float> y = std::vector<float>(200, -5.0F);
    std::vector<std::int64_t> argmax = std::vector<std::int64_t>(12, -5);
    iir2d::TensorView x_view{x.data(), ElementType::f32, {1, 2, 4, 6}};
    iir2d::TensorView y_view{y.data(), ElementType::f32, {1, 2, 2, 3}};
    std::span<std::int64_t> argmax_view = argmax;
    PoolOp op = PoolOp::max;
};

struct BadAttempt {
    const char* name;
    std::function<void(Attempt&)> spoil;
    ErrorCode code;
    const char* says;
};

const BadAttempt bad_runs[] = {
    {"x null", [](Attempt& r) { r.x_view.data = nullptr; }, ErrorCode::null_pointer, "x: data is null"},
    {"y null", [](Attempt& r) { r.y_view.data = nullptr; }, ErrorCode::null_pointer, "y: data is null"},
    {"x of another shape",
     [](Attempt& r) {
         r.x_view.shape = {2, 1, 4, 6};
     },
     ErrorCode::invalid_dimension, "x has shape [2, 1, 4, 6], the plan's is [1, 2, 4, 6]"},
    {"y of another shape",
     [](Attempt& r) {
         r.y_view.shape = {1, 2, 3, 2};
     },
     ErrorCode::invalid_dimension, "y has shape [1, 2, 3, 2], the plan's is [1, 2, 2, 3]"},
    {"x of another type", [](Attempt& r) { r.x_view.type = ElementType::f64; }, ErrorCode::invalid_argument,
     "x is f64, the plan is for f32"},
    {"y of another type", [](Attempt& r) { r.y_view.type = ElementType::f16; }, ErrorCode::invalid_argument,
     "y is f16, the plan is for f32"},
    {"x rows overlap", [](Attempt& r) { r.x_view.row_stride = 5; }, ErrorCode::invalid_dimension,
     "x: row_stride 5 is less than the width 6"},
    {"y row stride negative", [](Attempt& r) { r.y_view.row_stride = -3; }, ErrorCode::invalid_dimension,
     "y: row_stride -3"},
    {"y plane stride negative", [](Attempt& r) { r.y_view.plane_stride = -6; }, ErrorCode::invalid_dimension,
     "y: plane_stride -6 is negative"},
    {"y beyond memory", [](Attempt& r) { r.y_view.row_stride = max_int64; }, ErrorCode::invalid_dimension,
     "y: with row_stride 9223372036854775807"},
    {"y planes beyond memory", [](Attempt& r) { r.y_view.plane_stride = max_int64 / 2; },
     ErrorCode::invalid_dimension, "do not fit 63 bits"},
    {"in place", [](Attempt& r) { r.y_view.data = r.x.data(); }, ErrorCode::invalid_argument, "y overlaps x"},
    {"y overlaps x's end", [](Attempt& r) { r.y_view.data = r.x.data() + 47; }, ErrorCode::invalid_argument,
     "y overlaps x"},
    {"argmax too short", [](Attempt& r) { r.argmax_view = r.argmax_view.first(11); },
     ErrorCode::invalid_dimension, "argmax has 11 elements, the output [1, 2, 2, 3] has 12"},
    {"argmax of an average", [](Attempt& r) { r.op = PoolOp::avg; }, ErrorCode::invalid_argument,
     "argmax: only max pooling has one, not avg"},
};

TEST(PoolErrors, RunsThatDoNotFitThePlanWriteNothing) {
    for (const BadAttempt& bad : bad_runs) {
        SCOPED_TRACE(bad.name);
        Attempt run;
        bad.spoil(run);
        const auto plan = PoolPlan::make(pool_testing::cpu(), {.op = run.op, .shape = {1, 2, 4, 6}});
        ASSERT_TRUE(plan);
        const auto done = plan->forward(run.x_view, run.y_view, run.argmax_view);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, bad.code);
        EXPECT_NE(done.error().message.find(bad.says), std::string::npos) << done.error().message;
        EXPECT_EQ(run.x, std::vector<float>(200, 1.0F));
        EXPECT_EQ(run.y, std::vector<float>(200, -5.0F));
        EXPECT_EQ(run.argmax, std::vector<std::int64_t>(12, -5));
    }
}

TEST(PoolErrors, ReferenceChecksItsSpans) {
    const PoolDesc desc{.shape = {1, 1, 4, 4}};
    const std::vector<double> x(16, 1.0);
    std::vector<double> y(4, -5.0);
    std::vector<std::int64_t> argmax(4, -5);
    const auto short_x = iir2d::reference::pool(desc, std::span(x).first(15), y);
    ASSERT_FALSE(short_x);
    EXPECT_EQ(short_x.error().message, "x has 15 elements, the descriptor needs 16");
    EXPECT_FALSE(iir2d::reference::pool(desc, x, std::span(y).first(3)));
    EXPECT_FALSE(iir2d::reference::pool(desc, x, y, std::span(argmax).first(3)));
    PoolDesc avg = desc;
    avg.op = PoolOp::avg;
    EXPECT_FALSE(iir2d::reference::pool(avg, x, y, argmax));
    EXPECT_EQ(y, std::vector<double>(4, -5.0));
    EXPECT_EQ(argmax, std::vector<std::int64_t>(4, -5));
    EXPECT_TRUE(iir2d::reference::pool(desc, x, y, argmax));
}

}  // namespace
