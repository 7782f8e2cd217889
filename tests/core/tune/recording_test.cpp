// SPDX-License-Identifier: MIT
// Measurements that were made once, on a machine that others used too: what is computed of them is the same
// anywhere. No clock is read here.
#include <gmock/gmock.h>

#include <filesystem>
#include <limits>

#include "core/support/files.h"
#include "core/tune/boosting.h"
#include "core/tune/collect.h"
#include "core/tune/headroom.h"
#include "core/tune/machine.h"
#include "core/tune/problem.h"
#include "core/tune/rows.h"
#include "core/tune/train.h"
#include "core/tune/transfer.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {
namespace {

std::string text_in(const std::string& name) {
    const auto text = read_file(std::string(IIR2D_SOURCE_DIR) + "/tests/core/tune/" + name);
    EXPECT_TRUE(text) << name;
    return text.value_or("");
}

const Measurements& recording() {
    static const Measurements all = from_json(text_in("recording.json")).value();
    return all;
}

// Whether problems measured with two threads can be asked of here.
bool has_two_threads() {
    return iir2d::Device::cpu(2)->threads() == 2 && cache_sizes().l2 > 0 && cache_sizes().l3 > 0;
}

TEST(Recording, HasBothSetsAndIsWritten) {
    std::size_t train = 0;
    std::size_t validation = 0;
    for (const MeasuredProblem& problem : recording().problems)
        (problem.set == "train" ? train : validation) += 1;
    EXPECT_GE(train, 60U);
    EXPECT_GE(validation, 20U);
    EXPECT_EQ(to_json(recording()), text_in("recording.json"));
    EXPECT_TRUE(headroom_of(recording(), {}).overall);
}

TEST(Recording, AModelIsJudgedToTheLastDigit) {
    if (!has_two_threads()) GTEST_SKIP() << "two threads and known caches are needed";
    const auto model = iir2d::model_from_text(text_in("golden/model.trees"));
    ASSERT_TRUE(model) << model.error().message;
    Measurements some = recording();
    std::erase_if(some.problems,
                  [&](const MeasuredProblem& problem) { return problem.purpose != model->purpose; });
    const auto made =
        evaluate(some, ranker_of(*model, some, std::numeric_limits<double>::infinity()), EvaluateOptions{});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(to_json(*made, 10), text_in("golden/eval.json"));
}

TEST(Recording, RowsAreTheLibrarysOwnFeaturesWhereItWasMeasured) {
    if (!has_two_threads()) GTEST_SKIP() << "two threads and known caches are needed";
    const auto device = *iir2d::Device::cpu(2);
    Measurements here = recording();
    const auto machine = machine_of(device);
    ASSERT_TRUE(machine);
    here.machines = {*machine};
    const FeatureReader reader(here);
    for (MeasuredProblem& problem : here.problems) {
        for (Visit& visit : problem.visits) visit.machine = machine->id;
        const auto rows = reader.rows(problem, {"static", "threads:1"});
        ASSERT_TRUE(rows) << rows.error().message;
        const auto what = problem_from_spec(problem.spec);
        std::vector<float> expected;
        for (const iir2d::Config& config : {iir2d::Config{}, iir2d::Config{.threads = 1}}) {
            const auto row = what->filter() != nullptr
                                 ? iir2d::features(device, filter_desc_of(*what), config)
                                 : iir2d::features(device, pool_desc_of(*what), use_of(*what), config);
            ASSERT_TRUE(row) << row.error().message;
            expected.insert(expected.end(), row->begin(), row->end());
        }
        EXPECT_EQ(*rows, expected) << problem.spec;
    }
}

TEST(Recording, TrainingTwiceGivesTheSameBytes) {
    if (!has_two_threads()) GTEST_SKIP() << "two threads and known caches are needed";
    if (!Boosting::open()) GTEST_SKIP() << Boosting::open().error().message;
    const TrainOptions options{.purpose = "pool-cpu", .seed = 2};
    const auto first = train(recording(), &recording(), options);
    ASSERT_TRUE(first) << first.error().message;
    const auto second = train(recording(), &recording(), options);
    ASSERT_TRUE(second);
    EXPECT_EQ(first->files.trees, second->files.trees);
    EXPECT_EQ(first->files.json, second->files.json);
    EXPECT_EQ(first->files.report, second->files.report);
    TrainOptions other = options;
    other.seed = 3;
    EXPECT_NE(train(recording(), &recording(), other)->files.trees, first->files.trees);
}

TEST(Recording, MeasurementsOfOthersProveNothing) {
    if (!has_two_threads()) GTEST_SKIP() << "two threads and known caches are needed";
    if (!Boosting::open()) GTEST_SKIP() << Boosting::open().error().message;
    const TrainOptions options{.purpose = "iir-cpu", .seed = 2};
    const auto judged = train(recording(), &recording(), options);
    ASSERT_TRUE(judged) << judged.error().message;
    EXPECT_NE(judged->files.report, "");
    for (std::string Visit::*by : {&Visit::machine, &Visit::build}) {
        Measurements others = recording();
        for (MeasuredProblem& problem : others.problems)
            for (Visit& visit : problem.visits) visit.*by = "0123456789abcdef";
        const auto made = train(recording(), &others, options);
        ASSERT_TRUE(made) << made.error().message;
        EXPECT_EQ(made->files.report, "");
        EXPECT_NE(made->unproven, "");
        EXPECT_THAT(made->files.json, ::testing::HasSubstr("\"validated_on_sha256\": null"));
        EXPECT_EQ(made->files.trees, judged->files.trees);
    }
}

// What XGBoost wrote, as short as it can be: one test, and a tree that is a leaf.
constexpr const char* two_trees = R"({"learner":{"learner_model_param":{"base_score":"5E-1"},
 "gradient_booster":{"model":{"trees":[
 {"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_indices":[1,0,0],"split_conditions":[2.5,-1,3],
  "loss_changes":[4,0,0]},
 {"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[0.25],"loss_changes":[0]}]}}}})";

TEST(XgboostTrees, BranchesBecomeCompleteTrees) {
    std::vector<double> importance(2, 0);
    const auto trees = trees_from_xgboost(two_trees, 2, 2, importance);
    ASSERT_TRUE(trees) << trees.error().message;
    EXPECT_EQ(trees->trees(), 2U);
    EXPECT_EQ(importance, (std::vector<double>{0, 4}));
    const std::vector<float> rows{9, 2, 9, 2.5F};
    std::vector<float> out(2);
    iir2d::predict(*trees, rows, 2, out);
    EXPECT_EQ(out, (std::vector<float>{0.5F - 1 + 0.25F, 0.5F + 3 + 0.25F}));
}

TEST(XgboostTrees, WhatIsNoModelIsRefused) {
    std::vector<double> importance(2, 0);
    const auto refuses = [&](const std::string& text, std::size_t trees = 2, std::size_t depth = 2) {
        return !trees_from_xgboost(text, trees, depth, importance);
    };
    EXPECT_TRUE(refuses("{"));
    EXPECT_TRUE(refuses("{}"));
    EXPECT_TRUE(refuses(two_trees, 3));
    EXPECT_TRUE(refuses(two_trees, 2, 0));
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = two_trees;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_TRUE(refuses(with("[1,0,0]", "[2,0,0]")));
    EXPECT_TRUE(refuses(with("[1,-1,-1]", "[0,-1,-1]")));
    EXPECT_TRUE(refuses(with("[1,-1,-1]", "[7,-1,-1]")));
    EXPECT_TRUE(refuses(with("[2.5,-1,3]", "[2.5,-1]")));
}

}  // namespace
}  // namespace workbench::tune
