// SPDX-License-Identifier: MIT
// The statistics of duels, on made data whose truth is known.
#include "core/evidence/paired_ratio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "core/benchmark/synthetic.h"
#include "core/evidence/duel_verdict.h"

namespace workbench {
namespace {

// Deterministic noise.
class Noise {
  public:
    explicit Noise(std::uint64_t seed) : m_seed(seed) {}
    double uniform() { return (static_cast<double>(splitmix64(m_seed, m_index++) >> 11) + 0.5) / 0x1p53; }
    double normal() {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

  private:
    std::uint64_t m_seed;
    std::uint64_t m_index = 0;
};

// A machine: each time has a spread, now and then a long tail, and each process a layout of its own that
// makes it faster or slower for as long as it lives. The machine drifts meanwhile.
struct Machine {
    double spread = 0.02;
    double disturbed = 0.15;  // the part of times that are disturbed, by 40 % on average
    double layout = 0.004;
    double drift = 0.05;          // over a launch
    double control_is_off = 0.0;  // a bias of the second base
};

struct Made {
    std::vector<LaunchRatios> effect, control;
};

void add_launch(Made& made, const Machine& machine, double slowdown, int blocks, Noise& noise) {
    const double layout_base = machine.layout * noise.normal();
    const double layout_new = machine.layout * noise.normal() + std::log1p(slowdown);
    const double layout_control = machine.layout * noise.normal() + machine.control_is_off;
    double clock = 0;
    const auto time = [&](double layout) {
        clock += machine.drift / (8.0 * blocks);
        const double tail = noise.uniform() < machine.disturbed ? -0.4 * std::log(noise.uniform()) : 0.0;
        return clock + layout + machine.spread * noise.normal() + tail;
    };
    LaunchRatios effect, control;
    for (int b = 0; b < blocks; ++b) {
        RatioBlock of_effect, of_control;
        for (int round = 0; round < 2; ++round) {
            double base = 0, now = 0, again = 0;
            if (round == 0) {
                base = time(layout_base);
                now = time(layout_new);
                again = time(layout_control);
            } else {
                again = time(layout_control);
                now = time(layout_new);
                base = time(layout_base);
            }
            of_effect.push_back(now - base);
            of_control.push_back(again - base);
        }
        effect.push_back(of_effect);
        control.push_back(of_control);
    }
    made.effect.push_back(effect);
    made.control.push_back(control);
}

struct Trial {
    DuelVerdict verdict = DuelVerdict::undecided;
    std::string reason;
    bool truth_left_out = false;  // of the interval of any look
    std::size_t pairs = 0;
};

Trial duel(const Machine& machine, double slowdown, const DuelRule& rule, std::uint64_t seed,
           int blocks = 13) {
    Noise noise(seed);
    DuelJudge judge(rule);
    Made made;
    Trial trial;
    while (static_cast<int>(trial.pairs) < rule.most_pairs) {
        const std::size_t next = std::max<std::size_t>(8, made.effect.size() * 3 / 2);
        while (made.effect.size() < next) add_launch(made, machine, slowdown, blocks, noise);
        const std::size_t pairs = made.effect.size() * made.effect[0].size() * 2;
        const double fraction = std::min(1.0, static_cast<double>(pairs) / rule.most_pairs);
        const DuelLook look = judge.look(made.effect, made.control, fraction);
        trial.pairs = look.effect.pairs;
        trial.verdict = look.verdict;
        trial.reason = look.reason;
        const double truth = 1 + slowdown;
        if (look.effect.interval.low > truth || look.effect.interval.high < truth)
            trial.truth_left_out = true;
        if (look.verdict != DuelVerdict::undecided) break;
    }
    return trial;
}

constexpr int trials = 40;

struct Tally {
    std::map<DuelVerdict, int> verdicts;
    int left_out = 0;
    int of(DuelVerdict verdict) const {
        const auto found = verdicts.find(verdict);
        return found == verdicts.end() ? 0 : found->second;
    }
};

Tally many(const Machine& machine, double slowdown, const DuelRule& rule, int blocks = 13) {
    Tally tally;
    for (int i = 0; i < trials; ++i) {
        const std::uint64_t seed = splitmix64(41, static_cast<std::uint64_t>(i));
        const Trial trial = duel(machine, slowdown, rule, seed, blocks);
        ++tally.verdicts[trial.verdict];
        tally.left_out += trial.truth_left_out ? 1 : 0;
    }
    std::string text;
    for (const auto& [verdict, count] : tally.verdicts)
        text += std::string(name_of(verdict)) + " " + std::to_string(count) + " ";
    ::testing::Test::RecordProperty("verdicts", text + "left out " + std::to_string(tally.left_out));
    return tally;
}

TEST(HodgesLehmann, IsTheMedianOfAllMeans) {
    EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{3}), 3);
    EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{1, 2}), 1.5);
    // The means of 1, 2 and 9 are 1, 1.5, 5, 2, 5.5 and 9.
    EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{9, 1, 2}), 3.5);
}

TEST(HodgesLehmann, FindsTheSameOfManyValuesByBisection) {
    Noise noise(7);
    std::vector<double> values(301);
    for (double& v : values) v = noise.normal();
    std::vector<double> means;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j) means.push_back(0.5 * (values[i] + values[j]));
    }
    EXPECT_NEAR(hodges_lehmann(values), percentile(means, 50), 1e-6);
}

TEST(HodgesLehmann, IsNotMovedByAQuarterOfWildValues) {
    Noise noise(8);
    std::vector<double> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 4 == 0 ? 1e6 : 0.01 * noise.normal();
    EXPECT_LT(std::abs(hodges_lehmann(values)), 0.03);
}

TEST(StudentQuantile, IsThatOfTheTables) {
    EXPECT_NEAR(student_quantile(0.025, 1), 12.7062, 1e-4);
    EXPECT_NEAR(student_quantile(0.025, 7), 2.36462, 1e-5);
    EXPECT_NEAR(student_quantile(0.005, 7), 3.49948, 1e-5);
    EXPECT_NEAR(student_quantile(0.0005, 15), 4.07277, 1e-5);
    EXPECT_NEAR(student_quantile(0.025, 1e6), 1.95996, 1e-4);
    EXPECT_NEAR(student_quantile(0.5, 5), 0, 1e-9);
}

TEST(AlphaSpending, SpendsAllOfItAndNoMore) {
    EXPECT_DOUBLE_EQ(spent_alpha(0.05, 0), 0);
    EXPECT_NEAR(spent_alpha(0.05, 1), 0.05, 1e-15);
    AlphaSpending spending(0.05);
    double sum = 0;
    for (const double fraction : {0.1, 0.2, 0.5, 0.5, 0.9, 1.0, 1.7}) {
        const double now = spending.next_look(fraction);
        EXPECT_GE(now, 0);
        sum += now;
    }
    EXPECT_NEAR(sum, 0.05, 1e-15);
    EXPECT_EQ(spending.next_look(2.0), 0);
}

TEST(EstimateRatio, IsTheSameForTheSameSeedAndNeedsTwoLaunches) {
    Made made;
    Noise noise(3);
    add_launch(made, {}, 0.1, 10, noise);
    const auto alone = estimate_ratio(made.effect, {});
    EXPECT_EQ(alone.interval.low, 0);
    EXPECT_TRUE(std::isinf(alone.interval.high));
    for (int i = 0; i < 7; ++i) add_launch(made, {}, 0.1, 10, noise);
    const auto once = estimate_ratio(made.effect, {});
    const auto again = estimate_ratio(made.effect, {});
    EXPECT_EQ(once.interval.low, again.interval.low);
    EXPECT_EQ(once.interval.high, again.interval.high);
    EXPECT_EQ(once.pairs, 160U);
    EXPECT_EQ(once.launches, 8U);
    EXPECT_NEAR(once.ratio, 1.1, 0.03);
    EXPECT_LT(once.interval.low, 1.1);
    EXPECT_GT(once.interval.high, 1.1);
}

// The error follows the layouts, which no number of pairs in a launch averages away.
TEST(EstimateRatio, SeesThatLaunchesDiffer) {
    Made calm, moody;
    Noise noise(4);
    for (int i = 0; i < 8; ++i) {
        add_launch(calm, {.layout = 0.0}, 0, 100, noise);
        add_launch(moody, {.layout = 0.05}, 0, 100, noise);
    }
    EXPECT_GT(estimate_ratio(moody.effect, {}).log_error, 4 * estimate_ratio(calm.effect, {}).log_error);
    EXPECT_GT(estimate_ratio(moody.effect, {}).log_error, 0.01);
}

TEST(DuelJudge, MakesHardlyAFalseVerdictOfUnchangedBuilds) {
    const Tally tally = many({}, 0, {.margin = 0.02, .most_pairs = 1000, .resamples = 100});
    EXPECT_EQ(tally.of(DuelVerdict::faster) + tally.of(DuelVerdict::slower), 0);
    EXPECT_LE(tally.left_out, trials * 5 / 100);  // over all looks together
}

TEST(DuelJudge, FindsUnchangedBuildsTheSameWithinAMarginOfFivePercent) {
    const Tally tally = many({}, 0, {.margin = 0.05, .most_pairs = 1000, .resamples = 100});
    EXPECT_GE(tally.of(DuelVerdict::same), trials * 95 / 100);
    EXPECT_EQ(tally.of(DuelVerdict::faster) + tally.of(DuelVerdict::slower), 0);
}

TEST(DuelJudge, FindsTenPercent) {
    const Tally slower = many({}, 0.10, {.margin = 0.02, .most_pairs = 1000, .resamples = 100});
    EXPECT_GE(slower.of(DuelVerdict::slower), trials * 95 / 100);
    EXPECT_EQ(slower.of(DuelVerdict::faster) + slower.of(DuelVerdict::same), 0);
    const Tally faster = many({}, 1 / 1.1 - 1, {.margin = 0.02, .most_pairs = 1000, .resamples = 100});
    EXPECT_GE(faster.of(DuelVerdict::faster), trials * 95 / 100);
}

TEST(DuelJudge, FindsThreePercentOnAQuietMachine) {
    const Tally tally = many({.spread = 0.01, .disturbed = 0.05}, 0.03,
                             {.margin = 0.02, .most_pairs = 1000, .resamples = 100});
    EXPECT_GE(tally.of(DuelVerdict::slower), trials * 80 / 100);
    EXPECT_EQ(tally.of(DuelVerdict::faster), 0);
}

// Slow cases have few pairs a launch and many looks.
TEST(DuelJudge, HoldsWithManyLooksAtFewPairs) {
    const Tally unchanged = many({.spread = 0.01, .disturbed = 0.1}, 0,
                                 {.margin = 0.02, .most_pairs = 1000, .resamples = 100}, 2);
    EXPECT_EQ(unchanged.of(DuelVerdict::faster) + unchanged.of(DuelVerdict::slower), 0);
    EXPECT_LE(unchanged.left_out, trials * 5 / 100);
    const Tally slower = many({.spread = 0.01, .disturbed = 0.1}, 0.10,
                              {.margin = 0.02, .most_pairs = 1000, .resamples = 100}, 2);
    EXPECT_GE(slower.of(DuelVerdict::slower), trials * 95 / 100);
}

TEST(DuelJudge, MakesHardlyAFalseVerdictOnALoadedMachine) {
    const Machine loaded{.spread = 0.05, .disturbed = 0.3, .layout = 0.01, .drift = 0.2};
    const Tally unchanged = many(loaded, 0, {.margin = 0.02, .most_pairs = 1000, .resamples = 100});
    EXPECT_LE(unchanged.of(DuelVerdict::faster) + unchanged.of(DuelVerdict::slower), trials / 100);
    EXPECT_LE(unchanged.left_out, trials * 5 / 100);
    const Tally slower = many(loaded, 0.10, {.margin = 0.02, .most_pairs = 1000, .resamples = 100});
    EXPECT_EQ(slower.of(DuelVerdict::faster) + slower.of(DuelVerdict::same), 0);
}

TEST(DuelJudge, SaysNothingWhereTheControlIsOff) {
    const Trial trial =
        duel({.control_is_off = 0.03}, 0.04, {.margin = 0.02, .most_pairs = 1000, .resamples = 100}, 5);
    EXPECT_EQ(trial.verdict, DuelVerdict::undecided);
    EXPECT_NE(trial.reason.find("the control, base against base, is off by"), std::string::npos)
        << trial.reason;
}

TEST(JudgeDuel, TakesAChangeThatTheControlDoesNotExplain) {
    const RatioEstimate off{.ratio = 1.02, .interval = {1.0, 1.04}};
    const auto verdict = [&](double low, double high) {
        return judge_duel({.ratio = std::sqrt(low * high), .interval = {low, high}}, off, 0.02).verdict;
    };
    EXPECT_EQ(verdict(1.05, 1.20), DuelVerdict::slower);
    EXPECT_EQ(verdict(1.03, 1.20), DuelVerdict::undecided);
    EXPECT_EQ(verdict(0.85, 0.95), DuelVerdict::faster);
    EXPECT_EQ(verdict(0.85, 0.97), DuelVerdict::undecided);
    EXPECT_EQ(verdict(0.995, 1.005), DuelVerdict::undecided);
}

TEST(DuelJudge, DoesNotLookBeforeTheLeastPairs) {
    Made made;
    Noise noise(6);
    for (int i = 0; i < 8; ++i) add_launch(made, {}, 0.5, 1, noise);
    DuelJudge judge({.least_pairs = 25});
    const auto early = judge.look(made.effect, made.control, 0.1);
    EXPECT_EQ(early.verdict, DuelVerdict::undecided);
    EXPECT_EQ(early.alpha, 0);
    for (int i = 0; i < 8; ++i) add_launch(made, {}, 0.5, 1, noise);
    EXPECT_GT(judge.look(made.effect, made.control, 0.2).alpha, 0);
}

// The difference is beyond the margin, but base against base differs as surely.
TEST(JudgeDuel, NeedsMoreThanTheNoiseOfTheControl) {
    const RatioEstimate effect{.ratio = 1.03, .interval = {1.01, 1.05}};
    const RatioEstimate calm{.ratio = 1.001, .interval = {0.99, 1.011}};
    const RatioEstimate noisy{.ratio = 1.001, .interval = {0.95, 1.05}};
    EXPECT_EQ(judge_duel(effect, calm, 0.02).verdict, DuelVerdict::slower);
    const auto undecided = judge_duel(effect, noisy, 0.02);
    EXPECT_EQ(undecided.verdict, DuelVerdict::undecided);
    EXPECT_EQ(undecided.reason, "the difference is within the noise of the control");
}

TEST(DuelVerdict, HasANameThatIsReadBack) {
    bool known = false;
    for (const auto verdict :
         {DuelVerdict::undecided, DuelVerdict::same, DuelVerdict::faster, DuelVerdict::slower,
          DuelVerdict::ambiguous, DuelVerdict::wrong, DuelVerdict::failed}) {
        EXPECT_EQ(duel_verdict_from_name(name_of(verdict), known), verdict);
        EXPECT_TRUE(known);
    }
    duel_verdict_from_name("slower", known);
    EXPECT_FALSE(known);
}

}  // namespace
}  // namespace workbench
