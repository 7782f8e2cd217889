// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/recipe/apply.h"
#include "iir2d/reference.h"
#include "tests/core/recipe/recipe_testing.h"

namespace workbench {
namespace {

using iir2d::ElementType;
using iir2d::Precision;
using testing::HasSubstr;

PlanarImage applied(const Recipe& recipe, const PlanarImage& source, int alpha = -1) {
    auto result = apply(recipe, source, alpha, cpu());
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : PlanarImage();
}

// The reference on one channel, in doubles throughout.
std::vector<double> judged(const Recipe& recipe, const PlanarImage& source, int channel) {
    std::vector<double> plane = plane_as_doubles(source, channel);
    iir2d::Shape shape{1, 1, source.height(), source.width()};
    for (const Operation& operation : recipe.operations) {
        if (!operation.enabled) continue;
        std::vector<double> next;
        if (const auto* f = std::get_if<FilterOperation>(&operation.what)) {
            next.resize(plane.size());
            EXPECT_TRUE(iir2d::reference::filter(filter_desc(*f, shape), plane, next));
        } else {
            const auto desc = pool_desc(std::get<PoolOperation>(operation.what), shape, ElementType::f64);
            shape = *iir2d::reference::pool_output_shape(desc);
            next.resize(static_cast<std::size_t>(shape.h * shape.w));
            EXPECT_TRUE(iir2d::reference::pool(desc, plane, next));
        }
        plane = std::move(next);
    }
    return plane;
}

double worst_difference(const PlanarImage& image, int channel, const std::vector<double>& reference) {
    const auto plane = plane_as_doubles(image, channel);
    if (plane.size() != reference.size()) return INFINITY;
    double worst = 0;
    for (std::size_t i = 0; i < plane.size(); ++i) {
        worst = std::max(worst, std::abs(plane[i] - reference[i]));
    }
    return worst;
}

TEST(RecipeApply, GivesTheBytesOfPlansRunByHand) {
    const PlanarImage source = random_image(67, 41, 3);
    const Recipe recipe{.operations = {filter(5, {{"alpha", 0.7}}), pool(iir2d::PoolOp::max, {2, 3}),
                                       filter(6, {{"sigma", 1.5}}, Precision::mixed)}};
    const auto device = cpu();

    PlanarImage first(67, 41, 3, ElementType::f32);
    const auto& op1 = std::get<FilterOperation>(recipe.operations[0].what);
    ASSERT_TRUE(
        iir2d::FilterPlan::make(device, filter_desc(op1, {1, 3, 41, 67}))->run(source.view(), first.view()));
    PlanarImage second(22, 20, 3, ElementType::f32);
    const auto& op2 = std::get<PoolOperation>(recipe.operations[1].what);
    ASSERT_TRUE(iir2d::PoolPlan::make(device, pool_desc(op2, {1, 3, 41, 67}, ElementType::f32))
                    ->forward(std::as_const(first).view(), second.view()));
    PlanarImage third(22, 20, 3, ElementType::f32);
    const auto& op3 = std::get<FilterOperation>(recipe.operations[2].what);
    ASSERT_TRUE(iir2d::FilterPlan::make(device, filter_desc(op3, {1, 3, 20, 22}))
                    ->run(std::as_const(second).view(), third.view()));

    EXPECT_TRUE(same_bytes(applied(recipe, source), third));
}

TEST(RecipeApply, AgreesWithTheReferenceForEveryFilterBorderAndPrecision) {
    const PlanarImage source = random_image(37, 29, 2, ElementType::f64);
    const PlanarImage source_f32 = source.converted(ElementType::f32);
    for (int id = 1; id <= std::ssize(iir2d::filter_table()); ++id) {
        for (int border = 0; border < 4; ++border) {
            for (int precision = 0; precision < 3; ++precision) {
                const FilterOperation what{.filter_id = id,
                                           .border = static_cast<iir2d::Border>(border),
                                           .border_const = 0.25,
                                           .precision = static_cast<Precision>(precision)};
                const Recipe recipe{.operations = {{.what = what}}};
                const bool f64 = what.precision == Precision::f64;
                const PlanarImage result = applied(recipe, source);
                EXPECT_EQ(result.type(), f64 ? ElementType::f64 : ElementType::f32);
                const double bound = f64 ? 1e-12 : what.precision == Precision::mixed ? 1e-6 : 1e-5;
                for (int c = 0; c < 2; ++c) {
                    EXPECT_LE(worst_difference(result, c, judged(recipe, f64 ? source : source_f32, c)),
                              bound)
                        << describe(recipe.operations[0]);
                }
            }
        }
    }
}

TEST(RecipeApply, LeavesTheSourceAndWhatIsOffAlone) {
    const PlanarImage source = random_image(31, 17, 3);
    const PlanarImage copy = source;
    Recipe recipe{.operations = {filter(1), filter(2), filter(3)}};
    recipe.operations[1].enabled = false;
    const PlanarImage result = applied(recipe, source);
    EXPECT_TRUE(same_bytes(source, copy));
    EXPECT_TRUE(same_bytes(result, applied({.operations = {filter(1), filter(3)}}, source)));
}

TEST(RecipeApply, NothingToDoIsACopy) {
    for (const auto type : {ElementType::f32, ElementType::f64}) {
        const PlanarImage source = random_image(5, 4, 2, type);
        Recipe recipe{.operations = {filter(1)}};
        recipe.operations[0].enabled = false;
        EXPECT_TRUE(same_bytes(applied(recipe, source), source));
        EXPECT_TRUE(same_bytes(applied({}, source), source));
    }
}

TEST(RecipeApply, KeepAlphaLeavesThatChannelOutOfFilters) {
    const PlanarImage source = random_image(23, 19, 4);
    const std::vector<Operation> operations{filter(6), filter(1, {}, Precision::mixed)};
    const PlanarImage all = applied({.operations = operations}, source, 1);
    for (const int alpha : {0, 1, 3}) {
        const PlanarImage kept = applied({.keep_alpha = true, .operations = operations}, source, alpha);
        for (int c = 0; c < 4; ++c) {
            const auto wanted = c == alpha ? source.plane_f32(c) : all.plane_f32(c);
            EXPECT_TRUE(std::ranges::equal(kept.plane_f32(c), wanted))
                << "alpha " << alpha << ", channel " << c;
        }
    }
    // Without an alpha channel there is nothing to keep.
    EXPECT_TRUE(same_bytes(applied({.keep_alpha = true, .operations = operations}, source, -1), all));
    // An image that is nothing but alpha comes back as it was.
    const PlanarImage only = random_image(6, 5, 1);
    EXPECT_TRUE(same_bytes(applied({.keep_alpha = true, .operations = operations}, only, 0), only));
}

TEST(RecipeApply, PoolingPoolsAlphaLikeAnyChannel) {
    const PlanarImage source = random_image(20, 12, 4);
    const Recipe recipe{.keep_alpha = true,
                        .operations = {filter(1), pool(iir2d::PoolOp::avg, {2, 2}), filter(1)}};
    const PlanarImage result = applied(recipe, source, 3);
    EXPECT_EQ(result.width(), 10);
    EXPECT_EQ(result.height(), 6);
    const PlanarImage pooled = applied({.operations = {pool(iir2d::PoolOp::avg, {2, 2})}}, source, 3);
    EXPECT_TRUE(std::ranges::equal(result.plane_f32(3), pooled.plane_f32(3)));
    EXPECT_FALSE(std::ranges::equal(result.plane_f32(0), pooled.plane_f32(0)));
}

TEST(RecipeApply, KeepAlphaWorksInDoubleToo) {
    const PlanarImage source = random_image(9, 8, 2);
    const PlanarImage result =
        applied({.keep_alpha = true, .operations = {filter(6, {}, Precision::f64)}}, source, 1);
    EXPECT_EQ(result.type(), ElementType::f64);
    EXPECT_EQ(plane_as_doubles(result, 1), plane_as_doubles(source, 1));
    EXPECT_NE(plane_as_doubles(result, 0), plane_as_doubles(source, 0));
}

TEST(RecipeApply, PixelsAreDoubleFromTheFirstF64OperationOn) {
    const PlanarImage source = random_image(40, 30, 1);
    const Recipe recipe{
        .operations = {filter(1), filter(5, {}, Precision::f64), filter(6, {}, Precision::f64)}};
    const PlanarImage result = applied(recipe, source);
    ASSERT_EQ(result.type(), ElementType::f64);
    // The f32 step by itself, then doubles without a rounding between: nearer to the reference than float is.
    const PlanarImage first = applied({.operations = {recipe.operations[0]}}, source);
    const Recipe rest{.operations = {recipe.operations[1], recipe.operations[2]}};
    EXPECT_LE(worst_difference(result, 0, judged(rest, first, 0)), 1e-12);
}

TEST(RecipeApply, AnOperationInF32RoundsDoublesAndTheResultStaysDouble) {
    const PlanarImage source = random_image(40, 30, 2);
    const PlanarImage doubled = applied({.operations = {filter(5, {}, Precision::f64)}}, source);
    for (const Operation& last :
         {filter(6), pool(iir2d::PoolOp::max, {2, 2}), pool(iir2d::PoolOp::lp, {3, 3})}) {
        const PlanarImage result = applied({.operations = {filter(5, {}, Precision::f64), last}}, source);
        const PlanarImage by_hand = applied({.operations = {last}}, doubled.converted(ElementType::f32));
        ASSERT_EQ(result.type(), ElementType::f64);
        EXPECT_TRUE(same_bytes(result, by_hand.converted(ElementType::f64))) << describe(last);
    }
}

TEST(RecipeApply, ADoubleSourceIsRoundedUnlessTheFirstOperationIsF64) {
    const PlanarImage source = random_image(25, 14, 1, ElementType::f64);
    const PlanarImage rounded = source.converted(ElementType::f32);
    EXPECT_TRUE(same_bytes(applied({.operations = {filter(2)}}, source),
                           applied({.operations = {filter(2)}}, rounded)));
    const Recipe f64{.operations = {filter(2, {}, Precision::f64)}};
    EXPECT_LE(worst_difference(applied(f64, source), 0, judged(f64, source, 0)), 1e-12);
}

TEST(RecipeApply, ManyOperationsAgreeWithTheReference) {
    const PlanarImage source = random_image(101, 83, 3);
    const Recipe recipe{.operations = {filter(6, {{"sigma", 1.0}}), pool(iir2d::PoolOp::avg, {2, 2}),
                                       filter(5, {{"alpha", 0.5}}), pool(iir2d::PoolOp::max, {3, 3}),
                                       filter(1, {{"alpha", 0.3}}, Precision::mixed)}};
    const PlanarImage result = applied(recipe, source);
    EXPECT_EQ(result.width(), 16);
    EXPECT_EQ(result.height(), 13);
    for (int c = 0; c < 3; ++c) EXPECT_LE(worst_difference(result, c, judged(recipe, source, c)), 2e-5);
}

TEST(RecipeApply, TheBytesDoNotDependOnThreads) {
    const PlanarImage source = random_image(203, 155, 3);
    const Recipe recipe{.operations = {filter(6), pool(iir2d::PoolOp::lp, {2, 2}), filter(4)}};
    const auto one = apply(recipe, source, -1, *iir2d::Device::cpu(1));
    const auto three = apply(recipe, source, -1, *iir2d::Device::cpu(3));
    ASSERT_TRUE(one && three);
    EXPECT_TRUE(same_bytes(*one, *three));
}

TEST(RecipeApply, AnImageKeepsItsInfoWithTheNewSize) {
    Image source{.pixels = random_image(12, 10, 4)};
    source.info = {.path = "a.png", .width = 12, .height = 10, .channels = 4, .alpha_channel = 3};
    const auto result = apply(
        {.keep_alpha = true, .operations = {pool(iir2d::PoolOp::max, {2, 3}), filter(1)}}, source, cpu());
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->info.width, 4);
    EXPECT_EQ(result->info.height, 5);
    EXPECT_EQ(result->info.path, "a.png");
    EXPECT_EQ(result->info.alpha_channel, 3);
    const auto pixels =
        apply({.keep_alpha = true, .operations = {pool(iir2d::PoolOp::max, {2, 3}), filter(1)}},
              source.pixels, 3, cpu());
    EXPECT_TRUE(same_bytes(result->pixels, *pixels));
}

TEST(RecipeApply, RefusesWhatCannotBe) {
    const auto empty = apply({.operations = {filter(1)}}, PlanarImage(), -1, cpu());
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().kind, ErrorKind::bad_input);
    const auto small = apply({.operations = {filter(1), pool(iir2d::PoolOp::max, {9, 1})}},
                             random_image(8, 8, 1), -1, cpu());
    ASSERT_FALSE(small);
    EXPECT_EQ(small.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(small.error().message, HasSubstr("operation 2 (max pooling): window 9x1"));
}

TEST(RecipeApply, StopsWhenAskedAndGivesBackItsMemory) {
    std::stop_source stop;
    int taken = 0;
    int returned = 0;
    ApplyWork work{.take =
                       [&](iir2d::Shape s, ElementType type) {
                           ++taken;
                           return PlanarImage(s.w, s.h, static_cast<int>(s.c), type);
                       },
                   .give_back = [&](PlanarImage) { ++returned; }};
    const PlanarImage source = random_image(300, 200, 3);
    const Recipe recipe{.operations = {filter(1), pool(iir2d::PoolOp::max, {2, 2}), filter(6), filter(2)}};
    // From inside the third operation.
    const TaskControl control{.stop = stop.get_token(), .progress = [&](double, std::string_view what) {
                                  if (what == "Deriche smoother") stop.request_stop();
                              }};
    const auto result = apply(recipe, source, -1, cpu(), control, work);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
    EXPECT_EQ(taken, 2);
    EXPECT_EQ(returned, 2);
    EXPECT_EQ(apply(recipe, source, -1, cpu(), control).error().kind, ErrorKind::cancelled);
}

TEST(RecipeApply, ProgressRisesToOneAcrossOperations) {
    double last = 0;
    std::vector<std::string> names;
    const TaskControl control{.progress = [&](double fraction, std::string_view what) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1.0);
        last = fraction;
        if (names.empty() || names.back() != what) names.emplace_back(what);
    }};
    ASSERT_TRUE(apply({.operations = {filter(1), pool(iir2d::PoolOp::avg, {2, 2}), filter(6)}},
                      random_image(300, 200, 3), -1, cpu(), control));
    EXPECT_NEAR(last, 1.0, 1e-12);
    EXPECT_THAT(names, testing::ElementsAre("EMA", "average pooling", "Deriche smoother"));
}

TEST(RecipeApply, TheMemoryEstimateIsWhatIsTaken) {
    const iir2d::Shape shape{1, 3, 60, 80};
    const std::vector<std::vector<Operation>> lists{
        {},
        {filter(1)},
        {filter(1), filter(6), filter(2)},
        {pool(iir2d::PoolOp::max, {2, 2})},
        {filter(1), pool(iir2d::PoolOp::max, {2, 2}), filter(6)},
        {filter(1, {}, Precision::f64)},
        {filter(1), filter(6, {}, Precision::f64), filter(2)},
        {filter(6, {}, Precision::f64), pool(iir2d::PoolOp::avg, {3, 3})},
    };
    for (const auto& operations : lists) {
        const Recipe recipe{.operations = operations};
        std::uint64_t held = 0;
        std::uint64_t peak = 0;
        ApplyWork work{.take =
                           [&](iir2d::Shape s, ElementType type) {
                               PlanarImage image(s.w, s.h, static_cast<int>(s.c), type);
                               held += image.bytes().size();
                               peak = std::max(peak, held);
                               return image;
                           },
                       .give_back = [&](PlanarImage image) { held -= image.bytes().size(); }};
        const auto result = apply(recipe, random_image(80, 60, 3), -1, cpu(), {}, work);
        ASSERT_TRUE(result);
        const std::uint64_t estimate = memory_estimate(recipe, shape);
        if (operations.empty()) {
            EXPECT_EQ(estimate, result->bytes().size());
            continue;
        }
        EXPECT_EQ(held, result->bytes().size());
        EXPECT_EQ(estimate, peak) << operations.size();
    }
    // Filters work in place: one image, whatever their number.
    const iir2d::Shape large{1, 3, 4000, 6000};
    EXPECT_LT(memory_estimate({.operations = {filter(1), filter(6), filter(5)}}, large),
              std::uint64_t{3} * 4000 * 6000 * 4 * 3 / 2);
}

}  // namespace
}  // namespace workbench
