// SPDX-License-Identifier: MIT
#include "core/benchmark/parity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace workbench {
namespace {

using testing::HasSubstr;

PlanarImage plane(std::int64_t width, const std::vector<float>& values) {
    PlanarImage image(width, static_cast<std::int64_t>(values.size()) / width, 1, iir2d::ElementType::f32);
    std::ranges::copy(values, image.plane_f32(0).begin());
    return image;
}

Parity check(const PlanarImage& result, const std::vector<double>& reference, const Tolerance& tolerance) {
    ParityCheck parity;
    parity.add_channel(result, 0, reference, tolerance);
    return parity.parity();
}

constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr double nan64 = std::numeric_limits<double>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();
constexpr double inf64 = std::numeric_limits<double>::infinity();

TEST(ParityCheck, FindsTheWorstSample) {
    const Parity p = check(plane(3, {0, 1, 2, 3, 4.5F, 5}), {0, 1, 2, 3, 4, 5.25}, {.absolute = 1});
    EXPECT_TRUE(p.passed);
    EXPECT_EQ(p.max_abs_error, 0.5);
    EXPECT_DOUBLE_EQ(p.mean_abs_error, 0.75 / 6);
    EXPECT_EQ(p.worst_x, 1);
    EXPECT_EQ(p.worst_y, 1);
    EXPECT_EQ(p.bound, 1);
    EXPECT_FALSE(p.bound_is_relative);
    EXPECT_FALSE(parity_failure(p));
}

TEST(ParityCheck, RefusesJustAboveTheBoundAndTakesJustBelow) {
    const std::vector<double> reference = {0.5, 0.25};
    EXPECT_TRUE(check(plane(2, {0.5F, 0.25F + 0x1p-17F}), reference, {.absolute = 1e-5}).passed);
    const Parity p = check(plane(2, {0.5F, 0.25F + 0x1p-16F}), reference, {.absolute = 1e-5});
    EXPECT_FALSE(p.passed);
    EXPECT_THAT(*parity_failure(p), HasSubstr("column 1, row 0"));
    EXPECT_THAT(*parity_failure(p), HasSubstr("1e-05 is allowed"));
}

TEST(ParityCheck, CountsUnitsInTheLastPlace) {
    const float next = std::nextafter(1.0F, 2.0F);
    EXPECT_EQ(check(plane(1, {next}), {1.0}, {.absolute = 1}).max_ulp, 1);
    EXPECT_EQ(check(plane(1, {std::nextafter(next, 2.0F)}), {1.0}, {.absolute = 1}).max_ulp, 2);
    EXPECT_EQ(check(plane(1, {-0.0F}), {0.0}, {.absolute = 1}).max_ulp, 0);
    const float smallest = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(check(plane(1, {-smallest}), {static_cast<double>(smallest)}, {.absolute = 1}).max_ulp, 2);
}

TEST(ParityCheck, CountsUnitsOfDoublesAndDoesNotOverflow) {
    PlanarImage image(1, 1, 1, iir2d::ElementType::f64);
    image.plane_f64(0)[0] = std::nextafter(1.0, 2.0);
    EXPECT_EQ(check(image, {1.0}, {.absolute = 1}).max_ulp, 1);
    image.plane_f64(0)[0] = std::numeric_limits<double>::max();
    EXPECT_EQ(check(image, {std::numeric_limits<double>::lowest()}, {.absolute = 1}).max_ulp,
              std::numeric_limits<std::int64_t>::max());
}

TEST(ParityCheck, AgreesOnNanAndInfinity) {
    const Parity p = check(plane(3, {nan32, inf32, 1}), {nan64, inf64, 1}, {.absolute = 1e-5});
    EXPECT_TRUE(p.passed);
    EXPECT_EQ(p.max_abs_error, 0);
    // A finite reference beyond the range of float is stored as an infinity by everyone.
    EXPECT_TRUE(check(plane(1, {inf32}), {1e300}, {.absolute = 1e-5}).passed);
}

TEST(ParityCheck, RefusesNanInOneAlone) {
    for (const auto& [got, wanted] :
         {std::pair{nan32, 1.0}, {1.0F, nan64}, {inf32, 1.0}, {1.0F, inf64}, {-inf32, inf64}}) {
        const Parity p = check(plane(2, {0, got}), {0, wanted}, {.absolute = 1e-5});
        EXPECT_FALSE(p.passed) << got << " for " << wanted;
        EXPECT_EQ(p.max_abs_error, inf64);
        EXPECT_EQ(p.worst_x, 1);
        EXPECT_THAT(*parity_failure(p), HasSubstr("NaN or an infinity"));
    }
}

TEST(ParityCheck, TakesOneUnitOfSixteenBitsAndNoMore) {
    const auto half = [](std::vector<float> got, std::vector<double> wanted) {
        return check(plane(1, got), wanted,
                     {.relative = 0x1p-10, .floor = 0x1p-14, .stored = iir2d::ElementType::f16});
    };
    const Parity near = half({1 + 0x1p-10F}, {1 + 0x1p-12});
    EXPECT_TRUE(near.passed);
    EXPECT_EQ(near.max_ulp, 1);
    EXPECT_EQ(near.bound, 0x1p-10);
    EXPECT_TRUE(near.bound_is_relative);
    // Just below 2 a unit is half of 2^-10 of the value.
    EXPECT_TRUE(half({2 - 0x1p-10F}, {2 - 0x1p-9 + 0x1p-12}).passed);
    EXPECT_FALSE(half({2 - 0x1p-10F}, {2 - 0x1p-9 - 0x1p-12}).passed);
    EXPECT_TRUE(half({0x1p-24F}, {0}).passed) << "the least number of f16";
    EXPECT_FALSE(half({0x1p-23F}, {0}).passed);
    EXPECT_TRUE(half({inf32}, {70000}).passed) << "f16 holds it as infinity";
    const Parity exact = check(plane(1, {0.5F}), {0.5 + 0x1p-20}, {.stored = iir2d::ElementType::bf16});
    EXPECT_FALSE(exact.passed) << "a maximum is exact";
}

TEST(ParityCheck, PutsTheWorstWhereARelativeToleranceFails) {
    // 1000.001 is within two millionths of 1000; 0.00001 off 1 is not, though smaller in absolute terms.
    const Parity p = check(plane(2, {1000.001F, 1.00001F}), {1000, 1}, {.relative = 2e-6});
    EXPECT_FALSE(p.passed);
    EXPECT_EQ(p.worst_x, 1);
    EXPECT_TRUE(p.bound_is_relative);
    EXPECT_GT(p.max_abs_error, p.worst_error);
    EXPECT_THAT(*parity_failure(p), HasSubstr("of the value is allowed"));
}

TEST(ParityCheck, TakesNothingWithoutSamples) {
    EXPECT_FALSE(ParityCheck().parity().passed);
    EXPECT_FALSE(check(plane(2, {1, 2}), {1}, {.absolute = 1}).passed);
}

TEST(ParityCheck, GathersChannels) {
    PlanarImage image(2, 1, 2, iir2d::ElementType::f32);
    image.plane_f32(1)[1] = 0.5F;
    const std::vector<double> zero = {0, 0};
    ParityCheck parity;
    parity.add_channel(image, 0, zero, {.absolute = 0.1});
    parity.add_channel(image, 1, zero, {.absolute = 0.2});
    EXPECT_FALSE(parity.parity().passed);
    EXPECT_EQ(parity.parity().worst_channel, 1);
    EXPECT_EQ(parity.parity().bound, 0.2);
}

TEST(WorstGain, IsTheAbsoluteSumOfTheImpulseResponse) {
    const auto gain = [](int id) { return worst_gain(*iir2d::make_filter({.id = id})); };
    EXPECT_NEAR(gain(1), 1, 1e-9);
    EXPECT_NEAR(gain(5), 1, 1e-9);
    // Filter 3's response: b through a stable recurrence; at least its gain at frequency zero on each axis.
    EXPECT_GE(gain(3), 0.75 * 0.75 - 1e-9);
    EXPECT_LT(gain(3), 1);
}

TEST(ErrorStep, OfAnAdaptiveAverageHasNoDivisor) {
    PoolOperation pool{.op = iir2d::PoolOp::avg, .divisor_override = 2};
    EXPECT_EQ(error_step({.what = pool}, iir2d::ElementType::f32)->gain, 2) << "of 4 samples, divided by 2";
    pool.op = iir2d::PoolOp::adaptive_avg;  // which reads neither
    EXPECT_EQ(error_step({.what = pool}, iir2d::ElementType::f32)->gain, 1);
}

}  // namespace
}  // namespace workbench
