// SPDX-License-Identifier: MIT
// Visits, and what is estimated of them.
#include "core/tune/visit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "core/tune/estimate.h"
#include "tests/core/tune/measure_testing.h"

namespace workbench::tune {
namespace {

using ::testing::HasSubstr;

void spin_for(double ms) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() < ms) {
    }
}

// Takes as long as it is told, by the number of threads that a config sets.
class Pretended : public Subject {
  public:
    explicit Pretended(std::vector<double> ms_by_threads) : m_ms(std::move(ms_by_threads)) {}
    Result<std::size_t> prepare(const iir2d::Config& config) override {
        if (config.part != 0) return fail(ErrorKind::bad_argument, "no parts here");
        m_plans.push_back(config);
        return m_plans.size() - 1;
    }
    Result<void> run(std::size_t which, const std::stop_token&) override {
        const auto threads = static_cast<std::size_t>(m_plans[which].threads);
        if (threads == failing_threads && ++m_runs == failing_run)
            return fail(ErrorKind::device_failure, "it broke");
        spin_for(m_ms[threads]);
        const std::byte before = m_output[12];
        std::memset(m_output.data(), 7, m_output.size());  // a loop would not be short in a test
        if (threads == wrong_threads) m_output[11] = std::byte{8};
        if (threads == lazy_threads) m_output[12] = before;  // not written
        return {};
    }
    std::span<std::byte> output() override { return m_output; }
    std::span<const std::byte> input() override { return m_input; }
    Traffic traffic() override { return {m_input.size(), m_output.size()}; }
    Result<void> judge(const TaskControl&) override {
        ++judged;
        if (!is_right) return fail(ErrorKind::check_failed, "it is not right");
        return {};
    }

    std::size_t wrong_threads = 99;
    std::size_t lazy_threads = 99;
    std::size_t failing_threads = 99;
    int failing_run = 0;  // of these threads, from 1
    bool is_right = true;
    int judged = 0;

  private:
    std::vector<double> m_ms;
    int m_runs = 0;  // of failing_threads
    std::vector<iir2d::Config> m_plans;
    std::vector<std::byte> m_input = std::vector<std::byte>(4096);
    std::vector<std::byte> m_output = std::vector<std::byte>(4096);
};

Result<Visit> visited(Pretended& subject, const std::vector<iir2d::Config>& configs,
                      VisitSettings settings = {}) {
    CopyProbe probe(1);
    return visit(subject, configs, settings, probe);
}

TEST(TuneVisit, FasterAndSlowerConfigsAreSeenAndSlowOnesStopped) {
    // Static takes 0.2 ms, one half of it, one four times that.
    Pretended subject({0.2, 0.1, 0.8});
    const auto made = visited(subject, {{}, threads(1), threads(2)}, {.rounds_least = 6, .rounds_most = 12});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(subject.judged, 1);
    for (const char* text : {"copy", "static", "static#2"}) {
        const Measurement* const one = made->of(text);
        ASSERT_NE(one, nullptr) << text;
        ASSERT_TRUE(one->figures) << text;
        EXPECT_GE(one->samples.size(), 6U) << text;
        EXPECT_TRUE(std::isfinite(one->figures->ln_use)) << text;
    }
    const Measurement& fast = *made->of("threads:1");
    EXPECT_EQ(fast.status, Status::ok);
    EXPECT_NEAR(std::exp(fast.figures->ln_op), 0.5, 0.2);
    EXPECT_LE(fast.figures->ln_low, fast.figures->ln_high);
    EXPECT_GT(fast.figures->use_ms_p50, fast.figures->op_ms_p50);
    const Measurement& slow = *made->of("threads:2");
    EXPECT_EQ(slow.status, Status::pruned);
    EXPECT_EQ(slow.samples.size(), 5U);
    EXPECT_THAT(slow.reason, HasSubstr("after 5 rounds"));
}

TEST(TuneVisit, ShortCallsAreRepeated) {
    // A call of 1 us; one that is preempted in round 0 is long, and not repeated.
    Pretended subject({0.001, 0.001});
    int most = 0;
    for (int attempt = 0; attempt < 20 && most < 4; ++attempt) {
        const auto made = visited(subject, {{}, threads(1)}, {.rounds_least = 1, .rounds_most = 1});
        ASSERT_TRUE(made);
        most = made->of("static")->samples.front().calls;
        EXPECT_LE(most, 1000);
    }
    EXPECT_GE(most, 4);
}

TEST(TuneVisit, WhatDiffersFromStaticOrIsNotValidIsNeverTimed) {
    Pretended subject({0.01, 0.01, 0.01});
    subject.wrong_threads = 1;
    subject.lazy_threads = 2;
    const auto made =
        visited(subject, {{}, threads(1), threads(2), {.part = 32}}, {.rounds_least = 3, .rounds_most = 3});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->state, VisitState::wrong);
    const Measurement& wrong = *made->of("threads:1");
    EXPECT_EQ(wrong.status, Status::wrong);
    EXPECT_THAT(wrong.reason, HasSubstr("byte 11 of 4096"));
    EXPECT_TRUE(wrong.samples.empty());
    EXPECT_FALSE(wrong.figures);
    // What is not written at all is not what the config before left.
    EXPECT_EQ(made->of("threads:2")->status, Status::wrong);
    EXPECT_EQ(made->of("part:32")->status, Status::invalid);
    EXPECT_EQ(made->of("part:32")->reason, "no parts here");
    EXPECT_TRUE(made->of("static")->figures);
    subject.is_right = false;
    const auto refused = visited(subject, {{}, threads(1)});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->state, VisitState::wrong);
    EXPECT_EQ(refused->of("static")->status, Status::wrong);
    EXPECT_EQ(refused->of("threads:1")->status, Status::failed);
    EXPECT_TRUE(refused->of("static")->samples.empty());
}

// One run checks the config, two are of round 0, and each of the others is a sample.
TEST(TuneVisit, AConfigThatFailsAtAnyRunIsKeptAsFailed) {
    for (const int run : {1, 2, 3, 4}) {
        Pretended subject({0.01, 0.01});
        subject.failing_threads = 1;
        subject.failing_run = run;
        const auto made = visited(subject, {{}, threads(1)}, {.rounds_least = 2, .rounds_most = 2});
        ASSERT_TRUE(made) << run << made.error().message;
        const Measurement& failed = *made->of("threads:1");
        EXPECT_EQ(failed.status, Status::failed) << run;
        EXPECT_EQ(failed.reason, "it broke") << run;
        EXPECT_TRUE(failed.samples.empty()) << run;
        EXPECT_FALSE(failed.figures) << run;
        EXPECT_TRUE(made->of("static")->figures) << run;
    }
}

TEST(TuneVisit, AProblemsOwnPlanesAndPlans) {
    for (const char* spec : {"filter:6 border:wrap precision:mixed size:40x30 planes:3",
                             "pool:max window:3x3 stride:2x2 padding:1x1 dtype:f16 places size:33x21",
                             "pool:max window:9x9 stride:4x4 size:64x40 planes:2",
                             "pool:lp window:3x3 stride:2x2 p:3 dtype:f64 pass:backward size:33x21",
                             "pool:adaptive-avg output:3x5 dtype:bf16 pass:backward size:33x21",
                             "pool:max window:2x3 stride:2x3 dtype:f32 pass:backward size:34x20"}) {
        const NamedProblem problem = one_problem(spec);
        const auto configs = configs_of({.kind = Space::Kind::sampled, .count = 3}, problem, 1, two_threads);
        CopyProbe probe(2);
        const auto made =
            visit(problem.problem, *configs, two_threads, {.rounds_least = 1, .rounds_most = 1}, probe);
        ASSERT_TRUE(made) << spec << made.error().message;
        EXPECT_NE(made->state, VisitState::wrong) << spec;
        EXPECT_EQ(made->measurements.size(), configs->size() + 2) << spec;
        for (const Measurement& one : made->measurements) EXPECT_TRUE(one.figures) << spec << one.reason;
    }
}

TEST(TuneVisit, AProblemThatDoesNotFitIsRefusedBeforeMemoryIsTaken) {
    const NamedProblem large =
        one_problem("filter:1 border:clamp precision:f32 size:262144x262144 planes:16");
    CopyProbe probe(1);
    const auto made = visit(large.problem, {{}}, two_threads, {}, probe);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::device_failure);
    EXPECT_THAT(made.error().message, HasSubstr("MiB of memory"));
}

TEST(TuneEstimate, MarkedRoundsDoNotCountWhileFiveOthersDo) {
    std::vector<Sample> config;
    std::vector<Sample> first;
    for (int round = 1; round <= 7; ++round) {
        const bool marked = round <= 2;
        config.push_back({.round = round, .op_ms = marked ? 50.0 : 2.0, .use_ms = 3, .marked = marked});
        first.push_back({.round = round, .op_ms = 1, .use_ms = 3});
    }
    const Pairs quiet = pairs_of(config, first, first);
    EXPECT_FALSE(quiet.are_disturbed());
    EXPECT_EQ(quiet.counted().size(), 5U);
    EXPECT_DOUBLE_EQ(medians_of(quiet.counted()).op, std::log(2.0));
    EXPECT_DOUBLE_EQ(medians_of(quiet.counted()).y(Objective::both), std::log(2.0));
    EXPECT_DOUBLE_EQ(medians_of(quiet.counted()).y(Objective::use), 0.0);
    config[2].marked = true;
    const Pairs busy = pairs_of(config, first, first);
    EXPECT_TRUE(busy.are_disturbed());
    EXPECT_EQ(busy.counted().size(), 7U);
    // Against the mean of both statics' logarithms.
    std::vector<Sample> second = first;
    for (Sample& one : second) one.op_ms = 4;
    EXPECT_DOUBLE_EQ(pairs_of(config, first, second).all.back().ln_op, 0.0);
}

}  // namespace
}  // namespace workbench::tune
