// SPDX-License-Identifier: MIT
// What is learned: lines that are imported and exported, and runs that take turns until one is learned.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/kernels/tune/decide_testing.h"
#include "tests/kernels/tune/tune_testing.h"

namespace {

using namespace iir2d;
using namespace tune_testing;
using TuneLearn = TuneTest;

// A run in which the thread was preempted counts for nothing: on a busy machine that is most of them.
class Patience {
  public:
    bool lasts() const { return std::chrono::steady_clock::now() < m_end; }

  private:
    std::chrono::steady_clock::time_point m_end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

TEST_F(TuneLearn, WhatWasLearnedDecidesInAutoAndMeasureAlone) {
    const Device two = cpu(2);
    const std::string key = *problem_key(two, grey);
    const std::string place = "1\t" + *machine_id() + "\t" + std::string(kernels_id()) + "\t" + key + "\t";
    EXPECT_EQ(import_learned(place + "part:128\t0.75\t28\t2026-11-23T10:00:00Z\n" + place +
                             "part:256\t0.5\t28\t2026-11-22T10:00:00Z\n"),
              0U);
    for (const TuneMode mode : {TuneMode::automatic, TuneMode::measure}) {
        set_tune_options({.mode = mode});
        const Choice chosen = choice_of(two);
        EXPECT_EQ(chosen.reason, TuneReason::learned);
        EXPECT_EQ(iir2d::text_of(chosen.config), "part:128");  // the newest
        EXPECT_EQ(chosen.predicted_ratio, 0.75);
    }
    set_tune_options({.mode = TuneMode::model});
    EXPECT_EQ(choice_of(two).reason, TuneReason::no_model);
    set_tune_options({});
    EXPECT_EQ(export_learned(), place + "part:128\t0.75\t28\t2026-11-23T10:00:00Z\n");
    EXPECT_EQ(export_learned(LearnedPart::here), "");
    // One that is not valid for the problem is not believed.
    EXPECT_EQ(import_learned(place + "way:climb/climb\t0.75\t28\t2026-11-24T10:00:00Z\n"), 0U);
    EXPECT_EQ(choice_of(two).config, Config{});
    forget_learned(key);
    EXPECT_EQ(export_learned(), "");
    EXPECT_EQ(choice_of(two).reason, TuneReason::no_model);
}

TEST_F(TuneLearn, BadLinesAreSkippedAndCounted) {
    const std::string good = "1\taa\tbb\tiir rows:>1\tthreads:1\t0.5\t28\t2026-11-23T10:00:00Z";
    const std::vector<std::string> bad_lines{"x",
                                             "2" + good.substr(1),
                                             good + "\tmore",
                                             good.substr(0, good.size() - 1),
                                             "1\taa\tbb\tkey\tthreads:0\t0.5\t28\t2026-11-23T10:00:00Z",
                                             "1\taa\tbb\tkey\tthreads:1\tnan\t28\t2026-11-23T10:00:00Z",
                                             "1\taa\tbb\tkey\tthreads:1\t0.5\t-1\t2026-11-23T10:00:00Z",
                                             std::string(5000, 'a')};
    for (const std::string& bad : bad_lines) EXPECT_EQ(import_learned(bad + "\n"), 1U) << bad.substr(0, 100);
    EXPECT_EQ(import_learned(good + "\r\n\n" + good), 0U);
    EXPECT_EQ(export_learned(), good + "\n");
    EXPECT_EQ(statistics().bad_lines, 8U);
    std::string many;
    for (int i = 0; i < 10'100; ++i) {
        const std::string hour = std::to_string(100 + i / 3600).substr(1);
        const std::string minute = std::to_string(100 + i / 60 % 60).substr(1);
        many += "1\taa\tbb\tkey " + std::to_string(i) + "\tthreads:1\t0.5\t28\t2026-11-23T" + hour + ":" +
                minute + ":" + std::to_string(100 + i % 60).substr(1) + "Z\n";
    }
    const std::string merged =
        merge_learned(many, "1\taa\tbb\tkey 5000\tstatic\t1\t28\t2027-01-01T00:00:00Z\n");
    EXPECT_EQ(std::ranges::count(merged, '\n'), 10'000);
    EXPECT_EQ(merged.find("key 99\t"), std::string::npos);  // the oldest went
    EXPECT_NE(merged.find("key 5000\tstatic\t"), std::string::npos);
}

TEST_F(TuneLearn, RunsTakeTurnsUntilOneIsLearnedAndGiveTheSameBytes) {
    const Device two = cpu(2);
    if (two.threads() < 2) GTEST_SKIP() << "one processor has one way";
    // Proposes threads:1, which stores alike.
    load(one_test_model("iir-cpu", "c_threads", 1.5F, -0.5F));
    set_tune_options({.mode = TuneMode::measure, .top_k = 1});
    Planes in(ElementType::f32, grey.shape);
    in.fill_with_hard_values(1);
    Planes expected(ElementType::f32, grey.shape);
    ASSERT_TRUE(FilterPlan::make(two, grey, Config{})->run(in.view(), expected.view()));
    std::set<std::string> ran;
    int runs = 0;
    TuneReason reason = TuneReason::exploring;
    const Patience patience;
    for (; patience.lasts() && reason == TuneReason::exploring; ++runs) {
        const auto plan = FilterPlan::make(two, grey);
        reason = plan->choice().reason;
        ran.insert(iir2d::text_of(plan->choice().config));
        Planes out(ElementType::f32, grey.shape);
        ASSERT_TRUE(plan->run(in.view(), out.view()));
        EXPECT_TRUE(out == expected);
    }
    EXPECT_EQ(reason, TuneReason::learned) << runs;
    EXPECT_GE(runs, 2 * 8);  // the first of each does not count
    EXPECT_TRUE(ran.contains("static") && ran.contains("threads:1"));
    const TuneStatistics said = statistics();
    EXPECT_EQ(said.settled, 1U);
    EXPECT_EQ(said.explored, 14U);
    EXPECT_EQ(count_of(said, TuneReason::learned), 1U);
    const std::string line = export_learned(LearnedPart::here);
    EXPECT_TRUE(line.starts_with("1\t" + *machine_id() + "\t" + std::string(kernels_id()) + "\t" +
                                 *problem_key(two, grey) + "\t"))
        << line;
    // What is learned is the faster one by 3 % or static.
    EXPECT_NE(line.find("\t14\t"), std::string::npos) << line;
    // Whoever keeps the line imports it, and gets it once.
    EXPECT_EQ(import_learned(line), 0U);
    EXPECT_EQ(export_learned(LearnedPart::here), "");
    EXPECT_EQ(export_learned(), line);
}

// A program that makes its plan once: runs take turns, not plans.
TEST_F(TuneLearn, OnePlanThatRunsOftenLearnsAndThenRunsByIt) {
    const Device two = cpu(2);
    if (two.threads() < 2) GTEST_SKIP() << "one processor has one way";
    load(one_test_model("iir-cpu", "c_threads", 1.5F, -0.5F));
    load(one_test_model("pool-cpu", "c_threads", 1.5F, -0.5F));
    load(one_test_model("pool-backward-cpu", "c_threads", 1.5F, -0.5F));
    set_tune_options({.mode = TuneMode::measure, .top_k = 1});
    const auto until_settled = [&](const auto& run) {
        const auto before = statistics().settled;
        const Patience patience;
        while (patience.lasts() && statistics().settled == before) run();
        EXPECT_EQ(statistics().settled, before + 1);
        run();
    };
    Planes in(ElementType::f32, grey.shape);
    in.fill_with_hard_values(1);
    Planes expected(ElementType::f32, grey.shape);
    ASSERT_TRUE(FilterPlan::make(two, grey, Config{})->run(in.view(), expected.view()));
    const auto plan = FilterPlan::make(two, grey);
    EXPECT_EQ(plan->choice().reason, TuneReason::exploring);
    until_settled([&] {
        Planes out(ElementType::f32, grey.shape);
        ASSERT_TRUE(plan->run(in.view(), out.view()));
        EXPECT_TRUE(out == expected);
    });
    EXPECT_EQ(choice_of(two).reason, TuneReason::learned);

    // Large enough that static takes both threads.
    const PoolDesc desc{
        .op = PoolOp::max, .shape = {1, 1, 480, 480}, .window = {9, 9}, .stride = Extent{2, 2}};
    Planes x(ElementType::f32, desc.shape);
    x.fill_with_hard_values(2);
    const auto by_rule = PoolPlan::make(two, desc, Config{}, Config{});
    const auto pooling = PoolPlan::make(two, desc);
    Planes pooled(ElementType::f32, by_rule->output_shape());
    ASSERT_TRUE(by_rule->forward(x.view(), pooled.view()));
    until_settled([&] {
        Planes out(ElementType::f32, by_rule->output_shape());
        ASSERT_TRUE(pooling->forward(x.view(), out.view()));
        EXPECT_TRUE(out == pooled);
    });
    Planes dy(ElementType::f32, by_rule->output_shape());
    dy.fill(0);
    // With places: to find them as well is another problem, and learns nothing.
    std::vector<std::int64_t> places(
        static_cast<std::size_t>(by_rule->output_shape().h * by_rule->output_shape().w));
    ASSERT_TRUE(by_rule->forward(x.view(), pooled.view(), places));
    Planes gradient(ElementType::f32, desc.shape);
    ASSERT_TRUE(by_rule->backward({}, {}, dy.view(), gradient.view(), places));
    const auto backward = [&](const ConstTensorView& of, std::span<const std::int64_t> given) {
        Planes out(ElementType::f32, desc.shape);
        ASSERT_TRUE(pooling->backward(of, {}, dy.view(), out.view(), given));
        EXPECT_TRUE(out == gradient);
    };
    const auto explored = statistics().explored;
    for (int i = 0; i < 40; ++i) backward(x.view(), {});
    EXPECT_EQ(statistics().explored, explored);
    until_settled([&] { backward({}, places); });
    EXPECT_EQ(PoolPlan::make(two, desc)->choice().reason, TuneReason::learned);
}

TEST_F(TuneLearn, ARunBesideAnotherOneDoesNotCount) {
    const Device two = cpu(2);
    if (two.threads() < 2) GTEST_SKIP() << "one processor has one way";
    load(one_test_model("iir-cpu", "c_threads", 1.5F, -0.5F));
    set_tune_options({.mode = TuneMode::measure});
    EXPECT_EQ(choice_of(two).reason, TuneReason::exploring);  // from here on runs are watched
    const auto other = FilterPlan::make(two, {.shape = {1, 1, 64, 64}, .filter = {.id = 1}}, Config{});
    Planes in(ElementType::f32, grey.shape);
    in.fill_with_hard_values(1);
    Planes small(ElementType::f32, {1, 1, 64, 64});
    small.fill(0);
    for (int i = 0; i < 40; ++i) {
        const auto plan = FilterPlan::make(two, grey);
        Planes out(ElementType::f32, grey.shape);
        // From inside the run, on another thread.
        bool ran = false;
        const auto beside = [&](double) {
            if (std::exchange(ran, true)) return;
            std::jthread([&] {
                Planes y(ElementType::f32, {1, 1, 64, 64});
                EXPECT_TRUE(other->run(small.view(), y.view()));
            });
        };
        ASSERT_TRUE(plan->run(in.view(), out.view(), {.progress = beside}));
        EXPECT_TRUE(ran);
    }
    EXPECT_EQ(statistics().explored, 0U);
}

}  // namespace
