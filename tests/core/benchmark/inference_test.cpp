// SPDX-License-Identifier: MIT
// Intervals, the rank test and drift, against published tables, another program's figures (scipy 1.10) and
// distributions whose truth is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "core/benchmark/statistics.h"
#include "core/benchmark/synthetic.h"

namespace workbench {
namespace {

double uniform(std::uint64_t seed, std::uint64_t index) {
    return (static_cast<double>(splitmix64(seed, index) >> 11) + 0.5) / 0x1p53;
}

// Log-normal as timings are: a long tail above, median 1.
std::vector<double> timings(std::uint64_t seed, std::size_t count, double spread, double median = 1) {
    std::vector<double> samples(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double r = std::sqrt(-2 * std::log(uniform(seed, 2 * i)));
        samples[i] =
            median * std::exp(spread * r * std::cos(2 * std::numbers::pi * uniform(seed, 2 * i + 1)));
    }
    return samples;
}

std::vector<double> first_of(std::size_t n, double from) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = from + static_cast<double>(i);
    return values;
}

// a and b without ties whose U is `u`: a's largest moves up one rank at a time.
std::pair<std::vector<double>, std::vector<double>> with_u(std::size_t n, std::size_t m, std::size_t u) {
    std::vector<std::size_t> beaten(n, 0);
    for (std::size_t left = u, i = n; i-- > 0 && left > 0;) {
        beaten[i] = std::min(left, m);
        left -= beaten[i];
    }
    std::vector<double> a(n);
    for (std::size_t i = 0; i < n; ++i)
        a[i] = static_cast<double>(beaten[i]) + static_cast<double>(i + 1) / static_cast<double>(n + 2);
    return {a, first_of(m, 1.0)};
}

TEST(MannWhitney, HasTheCriticalValuesOfTheTables) {
    // Two-sided, 5 %: Siegel, Nonparametric Statistics (1956), table K. The critical U is significant, the
    // next is not.
    struct Row {
        std::size_t n, m, critical;
    };
    for (const Row row : {Row{10, 10, 23}, Row{20, 20, 127}, Row{5, 8, 6}, Row{9, 12, 26}, Row{3, 9, 2}}) {
        const auto [a, b] = with_u(row.n, row.m, row.critical);
        const auto at = mann_whitney(a, b);
        EXPECT_EQ(at.u, static_cast<double>(row.critical));
        EXPECT_TRUE(at.exact);
        EXPECT_LE(at.p_value, 0.05) << row.n << " and " << row.m;
        const auto [c, d] = with_u(row.n, row.m, row.critical + 1);
        EXPECT_GT(mann_whitney(c, d).p_value, 0.05) << row.n << " and " << row.m;
    }
}

TEST(MannWhitney, AgreesWithScipy) {
    const std::array a = {1.1, 2.2, 3.3, 4.4, 5.5};
    const std::array b = {2.5, 3.5, 4.5, 5.6, 6.5, 7.5, 8.5};
    const auto exact = mann_whitney(a, b);
    EXPECT_TRUE(exact.exact);
    EXPECT_EQ(exact.u, 6);
    EXPECT_NEAR(exact.p_value, 0.07323232323232323, 1e-12);
    EXPECT_NEAR(mann_whitney(b, a).p_value, exact.p_value, 1e-15);  // either way round

    const std::array c = {1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 5.0, 9.0};
    const std::array d = {2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 6.0, 7.0, 8.0, 9.0, 9.0, 10.0};
    const auto tied = mann_whitney(c, d);
    EXPECT_FALSE(tied.exact);
    EXPECT_EQ(tied.u, 27.5);
    EXPECT_NEAR(tied.p_value, 0.03347928155355159, 1e-12);

    std::vector<double> e, f;
    for (int i = 0; i < 30; ++i) e.push_back(((i * 37) % 101) / 10.0);
    for (int i = 0; i < 25; ++i) f.push_back(((i * 53 + 7) % 103) / 10.0 + 1);
    const auto large = mann_whitney(e, f);
    EXPECT_FALSE(large.exact);
    EXPECT_EQ(large.u, 291.5);
    EXPECT_NEAR(large.p_value, 0.1605620159778126, 1e-12);
}

TEST(MannWhitney, FindsNoDifferenceInEqualSamples) {
    const std::vector<double> same(40, 2.5);
    EXPECT_EQ(mann_whitney(same, same).p_value, 1);
    const std::array one = {1.0};
    EXPECT_EQ(mann_whitney(one, one).p_value, 1);
}

TEST(MannWhitney, IsRightAsOftenAsItSays) {
    int found = 0;
    constexpr int trials = 2000;
    for (int t = 0; t < trials; ++t) {
        const auto seed = static_cast<std::uint64_t>(t);
        found += mann_whitney(timings(2 * seed, 50, 0.1), timings(2 * seed + 1, 50, 0.1)).p_value < 0.05;
    }
    // 5 % of 2000 with three standard deviations.
    EXPECT_NEAR(found, 100, 30);
}

// Resamples drawn here, one sample at a time. Numbers of samples, of resamples and seeds in turn: what is
// kept of one is not taken for another, and no more than a few are kept.
TEST(BootstrapMedians, AreThoseOfTheResamples) {
    const auto expected = [](std::span<const double> samples, const BootstrapSettings& settings) {
        std::vector<double> sorted(samples.begin(), samples.end());
        std::ranges::sort(sorted);
        std::vector<double> medians;
        std::uint64_t index = 0;
        for (int r = 0; r < settings.resamples; ++r) {
            std::vector<double> drawn;
            while (drawn.size() < sorted.size())
                drawn.push_back(sorted[(splitmix64(settings.seed, index++) >> 32) * sorted.size() >> 32]);
            std::ranges::sort(drawn);
            const double below = drawn[(drawn.size() - 1) / 2];
            medians.push_back(below + 0.5 * (drawn[drawn.size() / 2] - below));
        }
        return medians;
    };
    for (int round = 0; round < 2; ++round) {
        for (const std::size_t count : {1U, 2U, 7U, 8U, 50U, 333U}) {
            for (const BootstrapSettings& settings :
                 {BootstrapSettings{.resamples = 40}, {.resamples = 41}, {.resamples = 40, .seed = 9}}) {
                for (const std::uint64_t seed : {3U, 4U}) {
                    const auto samples = timings(seed, count, 0.2);
                    const auto medians = expected(samples, settings);
                    EXPECT_EQ(bootstrap_medians(samples, settings), medians) << count;
                    const Interval interval = median_interval(samples, settings);
                    EXPECT_EQ(interval.low, percentile(medians, 50 * (1 - 0.95))) << count;
                    EXPECT_EQ(interval.high, percentile(medians, 100 - 50 * (1 - 0.95))) << count;
                }
            }
        }
    }
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
    int covered = 0;
    constexpr int trials = 1000;
    for (int t = 0; t < trials; ++t) {
        const auto interval =
            median_interval(timings(static_cast<std::uint64_t>(t) + 77, 50, 0.2), {.resamples = 500});
        covered += interval.low <= 1 && 1 <= interval.high;
    }
    // The percentile bootstrap of a median of 50 covers 93 to 96 %.
    EXPECT_GE(covered, 925);
    EXPECT_LE(covered, 975);
}

TEST(MedianInterval, IsTheSameEveryTimeAndNarrowsWithMoreSamples) {
    const auto few = timings(5, 20, 0.2);
    const auto many = timings(5, 2000, 0.2);
    const Interval a = median_interval(few);
    const Interval b = median_interval(few);
    EXPECT_EQ(a.low, b.low);
    EXPECT_EQ(a.high, b.high);
    const Interval c = median_interval(many);
    EXPECT_LT(c.high - c.low, 0.25 * (a.high - a.low));
    EXPECT_LT(c.low, percentile(many, 50));
    EXPECT_GT(c.high, percentile(many, 50));
}

TEST(MedianInterval, GoesOnSmoothlyWhereRanksAreDrawnInsteadOfSamples) {
    const auto all = timings(9, 4097, 0.2);
    const std::span<const double> resampled = std::span(all).first(4096);
    const Interval below = median_interval(resampled);
    const Interval above = median_interval(all);
    EXPECT_NEAR(below.low, above.low, 2e-3);
    EXPECT_NEAR(below.high, above.high, 2e-3);
    // The normal approximation of the median's interval: 1.2533 spread / sqrt(n) around 1.
    EXPECT_NEAR(above.high - above.low, 2 * 1.96 * 1.2533 * 0.2 / std::sqrt(4097.0), 3e-3);
}

TEST(MedianInterval, OfOneSampleHasNoWidth) {
    const std::array one = {3.0};
    const Interval interval = median_interval(one);
    EXPECT_EQ(interval.low, 3);
    EXPECT_EQ(interval.high, 3);
}

TEST(MedianRatioInterval, HoldsThePlantedRatio) {
    int covered = 0;
    for (std::uint64_t t = 0; t < 300; ++t) {
        const auto interval = median_ratio_interval(timings(2 * t + 500, 50, 0.1, 1.1),
                                                    timings(2 * t + 501, 50, 0.1), {.resamples = 500});
        covered += interval.low <= 1.1 && 1.1 <= interval.high;
    }
    EXPECT_GE(covered, 272);
    EXPECT_LE(covered, 297);
}

TEST(MedianRatioInterval, DrawsTheTwoByThemselves) {
    const auto samples = timings(3, 50, 0.1);
    const auto interval = median_ratio_interval(samples, samples);
    EXPECT_LT(interval.low, 1);  // were both resampled alike, every ratio would be 1
    EXPECT_GT(interval.high, 1);
}

TEST(DriftSlope, AgreesWithScipyAndIgnoresOneOutlier) {
    const std::array samples = {10.0, 10.5, 9.8, 11.0, 10.9, 11.4, 11.1, 12.0, 30.0, 11.9};
    EXPECT_NEAR(drift_slope(samples), 0.2666666666666669, 1e-12);
    EXPECT_NEAR(relative_drift(samples), 0.2666666666666669 * 9 / 11.05, 1e-12);
}

TEST(DriftSlope, FindsThePlantedDriftInManySamples) {
    auto samples = timings(4, 20'000, 0.05);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += 1e-5 * static_cast<double>(i);
    EXPECT_NEAR(drift_slope(samples), 1e-5, 3e-7);
    EXPECT_NEAR(relative_drift(samples), 0.2 / 1.1, 0.01);
}

TEST(DriftSlope, IsNothingForOneSampleOrSteadyOnes) {
    const std::array one = {3.0};
    EXPECT_EQ(drift_slope(one), 0);
    EXPECT_EQ(drift_slope(std::vector<double>(100, 2.0)), 0);
    EXPECT_EQ(relative_drift(std::vector<double>(100, 0.0)), 0);
}

}  // namespace
}  // namespace workbench
