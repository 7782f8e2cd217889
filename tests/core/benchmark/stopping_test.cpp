// SPDX-License-Identifier: MIT
#include "core/benchmark/stopping.h"

#include <gmock/gmock.h>

#include <vector>

#include "core/benchmark/cache_eviction.h"
#include "core/benchmark/synthetic.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

// Around 1, evenly spread by `spread` on either side.
std::vector<double> samples(std::size_t count, double spread) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = 1 + spread * (static_cast<double>(splitmix64(3, i) >> 11) / 0x1p52 - 1);
    return values;
}

// As a case is measured: one sample after the other, each taking `seconds`.
std::pair<StopReason, std::size_t> measured(const StoppingRule& rule, double spread, double seconds) {
    const auto all = samples(20'000, spread);
    for (std::size_t n = 1; n <= all.size(); ++n) {
        if (const auto reason = stop_reason(rule, std::span(all).first(n), seconds * static_cast<double>(n)))
            return {*reason, n};
    }
    return {StopReason::iterations, 0};
}

TEST(StoppingRule, EndsWhenTheIntervalIsNarrow) {
    const StoppingRule rule{.precision = 0.01, .least = 20, .most = 5000, .most_seconds = 1000};
    EXPECT_EQ(measured(rule, 0.001, 0), std::pair(StopReason::precision, std::size_t{20}));
    const auto [reason, n] = measured(rule, 0.1, 0);
    EXPECT_EQ(reason, StopReason::precision);
    EXPECT_TRUE(is_precise(samples(n, 0.1), 0.01));
    // The median of n such samples has a standard deviation of spread / sqrt(n).
    EXPECT_GT(n, 100U);
    EXPECT_LT(n, 1000U);
}

TEST(StoppingRule, EndsAtItsLimits) {
    const StoppingRule rule{.precision = 0.0001, .least = 20, .most = 300, .most_seconds = 10};
    EXPECT_EQ(measured(rule, 0.5, 0.001), std::pair(StopReason::most_samples, std::size_t{300}));
    EXPECT_EQ(measured(rule, 0.5, 0.1), std::pair(StopReason::most_time, std::size_t{100}));
    EXPECT_EQ(measured(rule, 0.5, 5), std::pair(StopReason::most_time, std::size_t{20}))
        << "never fewer than least";
}

TEST(StoppingRule, SaysWhatIsWrongWithIt) {
    EXPECT_EQ(wrong_with({}), "");
    EXPECT_THAT(wrong_with({.precision = 0}), HasSubstr("precision"));
    EXPECT_THAT(wrong_with({.precision = 1}), HasSubstr("precision"));
    EXPECT_THAT(wrong_with({.least = 4}), HasSubstr("least"));
    EXPECT_THAT(wrong_with({.least = 50, .most = 49}), HasSubstr("give 50 to"));
    EXPECT_THAT(wrong_with({.most = 1'000'001}), HasSubstr("most"));
    EXPECT_THAT(wrong_with({.most_seconds = 0}), HasSubstr("seconds"));
}

TEST(Inconclusive, SaysWhy) {
    EXPECT_EQ(inconclusive_reason(25, 50, 0.5, ""), "");
    EXPECT_EQ(inconclusive_reason(26, 50, 0.5, ""), "preempted in 26 of 50 samples");
    EXPECT_EQ(inconclusive_reason(1, 50, 0, ""), "preempted in 1 of 50 samples");
    EXPECT_EQ(inconclusive_reason(50, 50, 1, ""), "");
    EXPECT_EQ(inconclusive_reason(0, 50, 0.5, "power cap"), "the GPU's clocks were held back: power cap");
}

TEST(CacheEviction, CoversMoreThanTheCaches) {
    CacheEviction eviction;
    EXPECT_GE(eviction.size(), std::size_t{64} << 20);
    EXPECT_LE(eviction.size(), std::size_t{1} << 30);
    eviction.evict();
}

}  // namespace
}  // namespace workbench
