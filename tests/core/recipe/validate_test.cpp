// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/core/recipe/recipe_testing.h"

namespace workbench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr iir2d::Shape unsized{.w = 0};

TEST(RecipeValidate, GivesTheSizeAfterAllEnabledOperations) {
    Recipe recipe{.operations = {filter(1), pool(iir2d::PoolOp::max, {2, 4}), filter(6),
                                 pool(iir2d::PoolOp::avg, {3, 3})}};
    EXPECT_EQ(validate(recipe, {1, 3, 60, 80}), (iir2d::Shape{1, 3, 10, 6}));
    recipe.operations[1].enabled = false;
    EXPECT_EQ(validate(recipe, {1, 3, 60, 80}), (iir2d::Shape{1, 3, 20, 26}));
}

TEST(RecipeValidate, NamesTheOperationAsAPersonCountsThem) {
    Recipe recipe{.operations = {filter(1), filter(1), pool(iir2d::PoolOp::max, {9, 9})}};
    recipe.operations[0].enabled = false;
    const auto shape = validate(recipe, {1, 1, 8, 8});
    ASSERT_FALSE(shape);
    EXPECT_THAT(shape.error().message, StartsWith("operation 3 (max pooling): window 9x9"));
    EXPECT_EQ(shape.error().kind, ErrorKind::bad_argument);
    const auto alone = validate(recipe.operations[2], {1, 1, 8, 8});
    ASSERT_FALSE(alone);
    EXPECT_THAT(alone.error().message, StartsWith("window 9x9"));
}

TEST(RecipeValidate, AnOperationThatIsOffIsNotInTheWay) {
    Recipe recipe{.operations = {pool(iir2d::PoolOp::max, {9, 9})}};
    recipe.operations[0].enabled = false;
    EXPECT_EQ(validate(recipe, {1, 1, 8, 8}), (iir2d::Shape{1, 1, 8, 8}));
}

TEST(RecipeValidate, WithoutASizeOnlyParametersAreChecked) {
    EXPECT_TRUE(validate(pool(iir2d::PoolOp::max, {100000, 100000}), unsized));
    EXPECT_FALSE(validate(pool(iir2d::PoolOp::max, {0, 1}), unsized));
    EXPECT_FALSE(validate(filter(1, {{"alpha", 2}}), unsized));
    EXPECT_TRUE(validate(Recipe{.operations = {pool(iir2d::PoolOp::lp, {7, 7}), filter(1)}}, unsized));
}

TEST(RecipeValidate, RefusesWhatNoFilterOrImageHas) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {nan, infinity, -infinity, 1e300}) {
        EXPECT_FALSE(validate(filter(1, {{"alpha", bad}}), unsized)) << bad;
        const Operation constant{.what = FilterOperation{.border_const = bad}};
        EXPECT_FALSE(validate(constant, unsized)) << bad;
    }
    EXPECT_FALSE(
        validate(Operation{.what = FilterOperation{.border = static_cast<iir2d::Border>(9)}}, unsized));
    EXPECT_FALSE(validate(Operation{.what = FilterOperation{.precision = static_cast<iir2d::Precision>(-1)}},
                          unsized));
    EXPECT_FALSE(
        validate(Operation{.what = FilterOperation{.start = static_cast<iir2d::Start>(2)}}, unsized));
    EXPECT_FALSE(validate(filter(0), unsized));
    EXPECT_FALSE(validate(filter(9), unsized));
    EXPECT_FALSE(validate(filter(1), {1, 0, 4, 4}));
    EXPECT_FALSE(validate(filter(1), {1, 1, 0, 4}));
    EXPECT_FALSE(validate(filter(1), {1, 1, 4, -4}));
    EXPECT_FALSE(validate(pool(static_cast<iir2d::PoolOp>(12), {2, 2}), unsized));
}

TEST(RecipeValidate, AGainOfZeroCannotBeNormalised) {
    FilterOperation difference{.filter_id = 3,
                               .parameters = {{"b0", 1}, {"b1", -1}, {"b2", 0}, {"a1", 0}, {"a2", 0}}};
    EXPECT_TRUE(validate(Operation{.what = difference}, unsized));
    difference.normalise_gain = true;
    const auto refused = validate(Operation{.what = difference}, unsized);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("gain"));
}

TEST(RecipeDescribe, SaysWhatDiffersInWords) {
    EXPECT_EQ(describe(filter(1)), "EMA, alpha 0.85");
    EXPECT_EQ(describe(filter(6, {{"sigma", 3.5}})), "Deriche smoother, sigma 3.5 px");
    EXPECT_THAT(describe(filter(6, {{"compat_1_0", 1}})), HasSubstr("compatible with iir2d 1.0"));
    EXPECT_EQ(describe(filter(3)), "Biquad, default coefficients");
    EXPECT_EQ(describe(filter(3, {{"a1", 0.25}})), "Biquad, a1 0.25");
    EXPECT_EQ(describe({.what = FilterOperation{.filter_id = 1,
                                                .border = iir2d::Border::constant,
                                                .border_const = 0.5,
                                                .precision = iir2d::Precision::f64,
                                                .start = iir2d::Start::steady,
                                                .normalise_gain = true}}),
              "EMA, alpha 0.85, border 0.5, f64, steady start, gain normalised");
    EXPECT_EQ(describe(filter(77)), "Filter 77");
    EXPECT_EQ(describe(pool(iir2d::PoolOp::max, {2, 3})), "Max pooling, window 2x3");
    EXPECT_EQ(
        describe({.what = PoolOperation{.op = iir2d::PoolOp::avg,
                                        .window = {4, 4},
                                        .stride = iir2d::Extent{2, 2},
                                        .padding = {1, 1},
                                        .dilation = {3, 3},
                                        .ceil_mode = true,
                                        .count_include_pad = true,
                                        .divisor_override = 7}}),
        "Average pooling, window 4x4, stride 2x2, padding 1x1, dilation 3x3, padding counted, divisor 7, "
        "ceil mode");
    EXPECT_EQ(describe(pool(iir2d::PoolOp::lp, {2, 2})), "Lp pooling, window 2x2, p 2");
    EXPECT_EQ(operation_name(filter(1)), "EMA");
    EXPECT_EQ(operation_name(pool(iir2d::PoolOp::max, {2, 2})), "max pooling");
}

}  // namespace
}  // namespace workbench
