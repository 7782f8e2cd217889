// SPDX-License-Identifier: MIT
// Decisions: selection, reasons, choosers and counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/kernels/tune/decide_testing.h"
#include "tests/kernels/tune/tune_testing.h"

namespace {

using namespace iir2d;
using namespace tune_testing;
using TuneDecide = TuneTest;

// What the contract says, from the predicted ratios of all candidates alone.
std::vector<Config> kept_by_force(const std::vector<RankedConfig>& all, std::size_t k, double threshold) {
    double best = std::numeric_limits<double>::infinity();
    for (const RankedConfig& one : all) best = std::min(best, *one.predicted_ratio);
    std::vector<RankedConfig> kept;
    for (const RankedConfig& one : all) {
        if (*one.predicted_ratio / best <= threshold * (1 + 1e-12)) kept.push_back(one);
    }
    const auto words = [](const Config& config) {
        const std::string text = iir2d::text_of(config);
        return text == "static" ? 0 : std::ranges::count(text, ' ') + 1;
    };
    std::ranges::sort(kept, [&](const RankedConfig& a, const RankedConfig& b) {
        return std::tuple(*a.predicted_ratio, words(a.config), iir2d::text_of(a.config)) <
               std::tuple(*b.predicted_ratio, words(b.config), iir2d::text_of(b.config));
    });
    std::vector<Config> configs;
    for (const RankedConfig& one : kept) {
        if (configs.size() < k) configs.push_back(one.config);
    }
    return configs;
}

TEST_F(TuneDecide, KeepsWhatAFullSearchKeeps) {
    const Device two = cpu(2);
    const FilterDesc rgb{.shape = {1, 3, 200, 300}, .filter = {.id = 4}};
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        load(drawn_model("iir-cpu", seed));
        const auto candidates_there = candidates(two, rgb);
        std::size_t least = 0;
        for (const double threshold : {1.0, 1.05, 1.1, 2.0, std::numeric_limits<double>::infinity()}) {
            std::size_t before = 0;
            for (const int k : {1, 2, 3, 10, 1000}) {
                const auto said = explain(two, rgb, {.top_k = k, .threshold = threshold});
                ASSERT_TRUE(said) << said.error().message;
                EXPECT_EQ(said->candidates.size(), candidates_there->size());
                std::vector<Config> kept;
                for (const RankedConfig& one : said->candidates) {
                    if (one.kept) kept.push_back(one.config);
                }
                EXPECT_EQ(kept, kept_by_force(said->candidates, static_cast<std::size_t>(k), threshold));
                EXPECT_FALSE(kept.empty());
                EXPECT_EQ(kept.size() + said->filtered, said->candidates.size());
                EXPECT_GE(kept.size(), before);
                before = kept.size();
            }
            EXPECT_GE(before, least);
            least = before;
        }
    }
}

TEST_F(TuneDecide, AModelDecidesWhereItsGainIsWorthIt) {
    const Device two = cpu(2);
    if (two.threads() < 2) GTEST_SKIP() << "one processor has one way";
    EXPECT_EQ(choice_of(two).reason, TuneReason::no_model);
    EXPECT_EQ(load(one_test_model("iir-cpu", "c_threads", 1.5F, -0.5F)), std::nullopt);
    const Choice chosen = choice_of(two);
    EXPECT_EQ(chosen.reason, TuneReason::model);
    EXPECT_EQ(iir2d::text_of(chosen.config), "threads:1");
    EXPECT_EQ(chosen.resolved.threads, 1);
    EXPECT_NEAR(*chosen.predicted_ratio, std::exp(-0.5), 1e-6);
    EXPECT_TRUE(chosen.model.starts_with("iir-cpu/1.0.1/"));
    EXPECT_EQ(chosen.model.size(), std::string("iir-cpu/1.0.1/").size() + 64);
    // Below its margin of 0.02.
    load(one_test_model("iir-cpu", "c_threads", 1.5F, -0.019F));
    EXPECT_EQ(choice_of(two).reason, TuneReason::static_as_good);
    EXPECT_EQ(choice_of(two).config, Config{});
    // Not of pooling, and not when the mode is off.
    EXPECT_EQ(PoolPlan::make(two, {.shape = {1, 1, 64, 64}})->choice().reason, TuneReason::no_model);
    set_tune_options({.mode = TuneMode::off});
    EXPECT_EQ(choice_of(two).reason, TuneReason::off);
    EXPECT_EQ(FilterPlan::make(two, grey, config("threads:2"))->choice().reason, TuneReason::pinned);
    EXPECT_EQ(choice_of(cpu(1)).reason, TuneReason::off);
}

TEST_F(TuneDecide, APlansOwnOptionsGoBeforeTheProcesss) {
    const Device two = cpu(2);
    if (two.threads() < 2) GTEST_SKIP() << "one processor has one way";
    for (const char* purpose : {"iir-cpu", "pool-cpu", "pool-backward-cpu"})
        ASSERT_EQ(load(one_test_model(purpose, "c_threads", 1.5F, -0.5F)), std::nullopt);
    const PoolDesc squares{.op = PoolOp::avg, .shape = {1, 3, 300, 700}};
    const auto expect = [&](const TuneOptions& options, TuneReason reason) {
        const auto filter = FilterPlan::make(two, grey, options);
        ASSERT_TRUE(filter) << filter.error().message;
        const auto pooling = PoolPlan::make(two, squares, options);
        ASSERT_TRUE(pooling) << pooling.error().message;
        for (const Choice& choice : {filter->choice(), pooling->choice(), pooling->backward_choice()}) {
            EXPECT_EQ(name_of(choice.reason), name_of(reason)) << name_of(options.mode);
            if (reason == TuneReason::exploring) continue;  // static is among those that have their turn
            EXPECT_EQ(choice.config == Config{}, reason != TuneReason::model);
        }
    };
    for (const TuneMode of_process : {TuneMode::off, TuneMode::automatic}) {
        set_tune_options({.mode = of_process});
        expect({.mode = TuneMode::model}, TuneReason::model);
        expect({.mode = TuneMode::automatic}, TuneReason::model);
        expect({.mode = TuneMode::off}, TuneReason::off);
        expect({.mode = TuneMode::measure}, TuneReason::exploring);
        expect({.top_k = 0}, TuneReason::error);
        expect({.threshold = 0.5}, TuneReason::error);
        EXPECT_EQ(tune_options().mode, of_process);
        EXPECT_EQ(choice_of(two).reason, of_process == TuneMode::off ? TuneReason::off : TuneReason::model);
    }
    const auto said = statistics();
    EXPECT_EQ(said.calls, 2U * (6 * 3 + 1));
    EXPECT_EQ(count_of(said, TuneReason::error), 2U * 2 * 3);
}

TEST_F(TuneDecide, AForeignStaleUnprovenOrUnknownModelOnlyProposes) {
    const Device two = cpu(2);
    const TreeModel good = one_test_model("iir-cpu", "c_threads", 1.5F, -0.5F);
    const std::vector<std::pair<TuneReason, std::function<void(TreeModel&)>>> faults{
        {TuneReason::foreign_machine, [](TreeModel& m) { m.machine = "0123456789abcdef"; }},
        {TuneReason::stale_kernels, [](TreeModel& m) { m.kernels = "0123456789abcdef"; }},
        {TuneReason::unproven, [](TreeModel& m) { m.margin = std::nullopt; }},
        {TuneReason::wrong_space, [](TreeModel& m) { m.space = 2; }},
        {TuneReason::wrong_features, [](TreeModel& m) { std::swap(m.features[0], m.features[1]); }}};
    for (const auto& [reason, spoil] : faults) {
        forget_models();
        TreeModel model = good;
        spoil(model);
        EXPECT_EQ(load(model), reason);
        set_tune_options({});
        EXPECT_EQ(choice_of(two).reason, reason) << name_of(reason);
        EXPECT_EQ(choice_of(two).config, Config{});
        const bool proposes = reason != TuneReason::wrong_space && reason != TuneReason::wrong_features;
        if (two.threads() < 2) continue;
        const auto said = explain(two, grey, {.mode = TuneMode::measure});
        EXPECT_EQ(said->decision.reason, proposes ? TuneReason::exploring : reason) << name_of(reason);
        EXPECT_EQ(said->candidates.front().predicted_ratio.has_value(), proposes);
    }
    EXPECT_EQ(load(good, false), TuneReason::unproven);
    // One that may decide is not displaced by one that may not.
    EXPECT_EQ(load(good), std::nullopt);
    TreeModel foreign = good;
    foreign.machine = "0123456789abcdef";
    load(foreign);
    if (two.threads() > 1) {
        EXPECT_EQ(choice_of(two).reason, TuneReason::model);
    }
}

TEST_F(TuneDecide, ATableDecidesWhereTheTreesCannotBeUsed) {
    const Device two = cpu(2);
    TreeModel model = one_test_model("iir-cpu", "c_threads", 1.5F, -0.5F);
    std::swap(model.features[0], model.features[1]);
    const std::string family = "iir-cpu, both ways, to 2^20, one plane";
    const std::string head = "iir2d-table 1\npurpose iir-cpu\nfamily " + family + "\n";
    load(model, true, head + "config 0.8 share:rows\nconfig 0.9 part:256\nconfig 0.95 threads:1\n");
    const Choice chosen = choice_of(two);  // share is of several planes
    EXPECT_EQ(chosen.reason, TuneReason::table);
    EXPECT_EQ(iir2d::text_of(chosen.config), "part:256");
    load(model, true, head + "config 0.8 share:rows\n");
    EXPECT_EQ(choice_of(two).reason, TuneReason::empty);
    EXPECT_FALSE(load_model(tune_testing::text_of(model), true, head + "config 1 part:33 part:33\n"));
}

class ChooserOf : public Chooser {
  public:
    explicit ChooserOf(std::function<std::optional<std::size_t>(const std::string&, std::size_t)> choose)
        : m_choose(std::move(choose)) {}
    std::optional<std::size_t> choose(const std::string& key,
                                      std::span<const Config> candidates) const override {
        return m_choose(key, candidates.size());
    }

  private:
    std::function<std::optional<std::size_t>(const std::string&, std::size_t)> m_choose;
};

TEST_F(TuneDecide, ACallersChooserGoesFirstAndItsFailuresAreStatic) {
    const Device two = cpu(2);
    const auto use = [](auto choose) { set_chooser(std::make_shared<const ChooserOf>(choose)); };
    std::string key;
    use([&](const std::string& of, std::size_t) {
        key = of;
        return std::optional<std::size_t>(1);
    });
    EXPECT_EQ(choice_of(two).reason, TuneReason::chooser);
    EXPECT_EQ(choice_of(two).config, candidates(two, grey)->at(1));
    EXPECT_EQ(key, *problem_key(two, grey));
    use([](const std::string&, std::size_t) { return std::optional<std::size_t>(); });
    EXPECT_EQ(choice_of(two).reason, TuneReason::no_model);
    for (const std::size_t wrong : {std::size_t{1'000'000'000}, candidates(two, grey)->size()}) {
        use([=](const std::string&, std::size_t) { return std::optional(wrong); });
        EXPECT_EQ(choice_of(two).reason, TuneReason::error);
        EXPECT_EQ(choice_of(two).config, Config{});
    }
    use([](const std::string&, std::size_t) -> std::optional<std::size_t> {
        throw std::runtime_error("no");
    });
    EXPECT_EQ(choice_of(two).reason, TuneReason::error);
    use([](const std::string&, std::size_t) -> std::optional<std::size_t> { throw 7; });
    EXPECT_EQ(choice_of(two).reason, TuneReason::error);
    set_tune_options({.mode = TuneMode::off});
    EXPECT_EQ(choice_of(two).reason, TuneReason::off);
}

TEST_F(TuneDecide, AChooserThatBlocksBlocksItsOwnPlanAlone) {
    const Device two = cpu(2);
    std::atomic<bool> entered{false};
    std::atomic<bool> leave{false};
    set_chooser(std::make_shared<const ChooserOf>([&](const std::string& key, std::size_t) {
        if (key.find("size:700x300") != std::string::npos) {
            entered = true;
            while (!leave) std::this_thread::yield();
        }
        return std::optional<std::size_t>(0);
    }));
    std::jthread blocked([&] { choice_of(two); });
    while (!entered) std::this_thread::yield();
    FilterDesc other = grey;
    other.shape.w = 701;
    EXPECT_EQ(choice_of(two, other).reason, TuneReason::chooser);
    set_tune_options({.top_k = 2});
    EXPECT_EQ(statistics().calls, 1U);
    leave = true;
}

TEST_F(TuneDecide, ReasonsSumToTheCallsAndDecisionsAreKept) {
    const Device two = cpu(2);
    load(drawn_model("iir-cpu", 3));
    load(drawn_model("pool-cpu", 3));
    for (int i = 0; i < 5; ++i) {
        choice_of(two);
        EXPECT_TRUE(PoolPlan::make(two, {.shape = {1, 1, 64, 64}}));
    }
    EXPECT_TRUE(FilterPlan::make(two, grey, config("part:128")));
    TuneStatistics said = statistics();
    EXPECT_EQ(said.calls, 16U);  // pooling decides for both passes
    EXPECT_EQ(std::accumulate(said.reasons.begin(), said.reasons.end(), std::uint64_t{0}), said.calls);
    EXPECT_EQ(said.cached, 8U);
    EXPECT_EQ(count_of(said, TuneReason::pinned), 1U);
    EXPECT_EQ(count_of(said, TuneReason::no_model), 5U);  // backward
    EXPECT_GT(said.filtered, 0U);
    // A slider step is no new problem, but for its reach.
    FilterDesc step = grey;
    step.filter.parameters = {{"sigma", 3.01}};
    choice_of(two, step);
    step.filter.parameters = {{"sigma", 3.02}};
    choice_of(two, step);
    EXPECT_GE(statistics().cached, 9U);
    EXPECT_GT(statistics(true).calls, 0U);
    said = statistics();
    EXPECT_EQ(said.calls + said.cached + said.filtered, 0U);
    // The mode `model` decides alike, whatever came before.
    set_tune_options({.mode = TuneMode::model});
    const Choice first = choice_of(two);
    forget_learned();
    EXPECT_EQ(choice_of(two).config, first.config);
    set_tune_options({.top_k = 0});
    EXPECT_EQ(choice_of(two).reason, TuneReason::error);
    set_tune_options({.threshold = 0.99});
    EXPECT_EQ(choice_of(two).reason, TuneReason::error);
}

TEST_F(TuneDecide, ForgetsTheDecisionThatWasUsedLongestAgo) {
    const Device one = cpu(1);
    load(one_test_model("iir-cpu", "ln_part", 4.0F, -0.5F));
    FilterDesc desc{.shape = {1, 1, 8, 8}, .filter = {.id = 1}};
    for (int i = 0; i < 4100; ++i) {
        desc.shape.h = 2 + i % 64;
        desc.shape.w = 2 + i / 64;
        choice_of(one, desc);
    }
    EXPECT_EQ(statistics().evicted, 4U);
    choice_of(one, desc);
    EXPECT_EQ(statistics().cached, 1U);
}

TEST_F(TuneDecide, StoresPastTheCachesOnUnalignedRowsAreVetoed) {
    const Device one = cpu(1);
    const FilterDesc desc{.shape = {1, 1, 33, 79}, .filter = {.id = 1}};
    const auto plan = FilterPlan::make(one, desc, config("stores:past"));
    ASSERT_TRUE(plan) << plan.error().message;
    Planes in(ElementType::f32, desc.shape);
    in.fill(0);
    Planes aligned(ElementType::f32, desc.shape);
    ASSERT_TRUE(plan->run(in.view(), aligned.view()));
    EXPECT_EQ(statistics().vetoed, 0U);
    Planes dense(ElementType::f32, desc.shape, true);
    ASSERT_TRUE(plan->run(in.view(), dense.view()));
    EXPECT_EQ(statistics().vetoed, 1U);
}

TEST_F(TuneDecide, ManyThreadsDecideAtOnce) {
    const Device two = cpu(2);
    load(drawn_model("iir-cpu", 3));
    set_tune_options({.mode = TuneMode::measure});
    {
        std::vector<std::jthread> deciding;
        for (int t = 0; t < 4; ++t) {
            deciding.emplace_back([&, t] {
                Planes in(ElementType::f32, {1, 1, 40, 40});
                in.fill(0);
                for (int i = 0; i < 100; ++i) {
                    const FilterDesc desc{.shape = {1, 1, 40, 40}, .filter = {.id = 1 + (i + t) % 4}};
                    const auto plan = FilterPlan::make(two, desc);
                    Planes out(ElementType::f32, desc.shape);
                    EXPECT_TRUE(plan->run(in.view(), out.view()));
                    if (i % 20 == 0) load(drawn_model("iir-cpu", static_cast<std::uint64_t>(i)));
                    if (i % 30 == 0) import_learned(export_learned());
                }
            });
        }
    }
    const TuneStatistics said = statistics();
    EXPECT_EQ(said.calls, 400U);
    EXPECT_EQ(std::accumulate(said.reasons.begin(), said.reasons.end(), std::uint64_t{0}), 400U);
}

}  // namespace
