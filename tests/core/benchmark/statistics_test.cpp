// SPDX-License-Identifier: MIT
#include "core/benchmark/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace workbench {
namespace {

TEST(Percentile, IsTheSampleItselfWhenThereIsOne) {
    const std::array one = {3.5};
    for (const double q : {0.0, 5.0, 50.0, 99.0, 100.0}) EXPECT_EQ(percentile(one, q), 3.5);
}

TEST(Percentile, InterpolatesBetweenOrderStatistics) {
    const std::array samples = {40.0, 10.0, 30.0, 20.0};  // sorted: 10 20 30 40
    EXPECT_DOUBLE_EQ(percentile(samples, 0), 10);
    EXPECT_DOUBLE_EQ(percentile(samples, 25), 17.5);  // place 0.75
    EXPECT_DOUBLE_EQ(percentile(samples, 50), 25);    // place 1.5
    EXPECT_DOUBLE_EQ(percentile(samples, 95), 38.5);  // place 2.85
    EXPECT_DOUBLE_EQ(percentile(samples, 100), 40);
}

TEST(Percentile, HitsOrderStatisticsExactlyWhereThePlaceIsWhole) {
    std::vector<double> samples(101);
    std::iota(samples.rbegin(), samples.rend(), 0.0);  // 100 down to 0
    for (const int q : {0, 5, 50, 95, 99, 100}) EXPECT_DOUBLE_EQ(percentile(samples, q), q);
}

TEST(Percentile, KeepsOutOfRangeRanksInside) {
    const std::array samples = {1.0, 2.0};
    EXPECT_EQ(percentile(samples, -5), 1);
    EXPECT_EQ(percentile(samples, 500), 2);
}

TEST(Summarise, GivesHandValues) {
    const std::array samples = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
    const SampleStatistics s = summarise(samples);
    EXPECT_EQ(s.count, 8U);
    EXPECT_EQ(s.min, 2);
    EXPECT_EQ(s.max, 9);
    EXPECT_DOUBLE_EQ(s.mean, 5);
    EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(32.0 / 7.0));
    EXPECT_DOUBLE_EQ(s.p50, 4.5);
    // Deviations from 4.5: 2.5 .5 .5 .5 .5 .5 2.5 4.5
    EXPECT_DOUBLE_EQ(s.median_absolute_deviation, 0.5);
    EXPECT_DOUBLE_EQ(s.p5, 2.7);    // place 0.35
    EXPECT_DOUBLE_EQ(s.p95, 8.3);   // place 6.65
    EXPECT_DOUBLE_EQ(s.p99, 8.86);  // place 6.93
}

TEST(Summarise, HasNoDeviationOfOneSample) {
    const std::array one = {1.25};
    const SampleStatistics s = summarise(one);
    EXPECT_EQ(s.count, 1U);
    EXPECT_EQ(s.standard_deviation, 0);
    EXPECT_EQ(s.median_absolute_deviation, 0);
    EXPECT_EQ(s.p99, 1.25);
}

TEST(Summarise, FindsTheQuantilesOfAUniformRamp) {
    std::vector<double> ramp(10'001);
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[(i * 7919) % ramp.size()] = static_cast<double>(i) / 10'000;
    const SampleStatistics s = summarise(ramp);
    EXPECT_NEAR(s.mean, 0.5, 1e-12);
    EXPECT_NEAR(s.p5, 0.05, 1e-12);
    EXPECT_NEAR(s.p95, 0.95, 1e-12);
    EXPECT_NEAR(s.median_absolute_deviation, 0.25, 1e-12);
    EXPECT_NEAR(s.standard_deviation, 1 / std::sqrt(12.0), 1e-4);
}

}  // namespace
}  // namespace workbench
