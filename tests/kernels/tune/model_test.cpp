// SPDX-License-Identifier: MIT
// The text of models and their evaluation.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <vector>

#include "tests/kernels/tune/model_testing.h"
#include "tests/kernels/tune/tune_testing.h"

namespace {

using namespace iir2d;
using namespace tune_testing;

float walked(const TreeEnsemble& e, const float* row) {
    float sum = e.base;
    for (std::size_t tree = 0; tree < e.trees(); ++tree) {
        std::size_t at = 0;
        for (std::size_t level = 0; level < e.depth; ++level) {
            const std::size_t test = tree * e.tests_of_a_tree() + at;
            at = 2 * at + (row[e.tests[test]] < e.thresholds[test] ? 1 : 2);
        }
        sum += e.leaves[tree * e.leaves_of_a_tree() + at - e.tests_of_a_tree()];
    }
    return sum;
}

TEST(TuneModel, TreesForManyRowsGiveWhatWalkingThemGives) {
    for (const std::size_t depth : {0U, 1U, 6U}) {
        const TreeModel model = drawn_model("iir-cpu", depth + 3, 30, depth);
        const std::size_t features = model.features.size();
        std::mt19937_64 random(depth);
        for (const std::size_t count : {1U, 7U, 8U, 9U, 63U, 64U, 65U, 150U}) {
            std::vector<float> rows(count * features);
            for (float& value : rows) value = static_cast<float>(random() % 25) - 12;
            // As of candidates: of most features all rows have one value.
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (i % features % 4 != 0) rows[i] = rows[i % features];
            }
            rows[rows.size() / 2] = std::numeric_limits<float>::quiet_NaN();
            std::vector<float> out(count);
            predict(model.gain, rows, features, out);
            for (std::size_t i = 0; i < count; ++i)
                EXPECT_EQ(out[i], walked(model.gain, rows.data() + i * features)) << depth << " " << i;
        }
    }
}

TEST(TuneModel, ItsTextReadsBackTheSame) {
    for (const std::string purpose : {"iir-cpu", "pool-cpu", "pool-backward-cpu"}) {
        TreeModel model = drawn_model(purpose, 7);
        const std::string text = tune_testing::text_of(model);
        EXPECT_TRUE(text.starts_with("iir2d-trees 1\npurpose " + purpose + "\nversion 1.0.7\n"));
        const auto read = model_from_text(text);
        ASSERT_TRUE(read) << read.error().message;
        model.sha256 = read->sha256;
        EXPECT_EQ(*read, model);
        EXPECT_EQ(tune_testing::text_of(*read), text);
        EXPECT_EQ(interface_of_model(text), model_interface);
        model.margin = std::nullopt;
        EXPECT_FALSE(model_from_text(tune_testing::text_of(model))->margin);
    }
}

TEST(TuneModel, EveryByteCounts) {
    const std::string text = tune_testing::text_of(drawn_model("pool-cpu", 3, 2, 2));
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string damaged = text;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        EXPECT_FALSE(model_from_text(damaged)) << i;
        EXPECT_FALSE(model_from_text(text.substr(0, i))) << i;
    }
    EXPECT_FALSE(model_from_text(text + "\n"));
}

TEST(TuneModel, WhatCannotBeEvaluatedIsNotWritten) {
    TreeModel model = drawn_model("pool-cpu", 3, 2, 2);
    model.gain.tests[0] = static_cast<std::uint16_t>(model.features.size());
    EXPECT_FALSE(text_of_model(model));
    model = drawn_model("pool-cpu", 3, 2, 2);
    model.level.leaves[1] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(text_of_model(model));
    model = drawn_model("pool-cpu", 3, 2, 2);
    model.level.leaves.pop_back();
    EXPECT_FALSE(text_of_model(model));
    model = drawn_model("pool-cpu", 3, 2, 2);
    model.version = "1 0";
    EXPECT_FALSE(text_of_model(model));
}

TEST(TuneModel, FeaturesAreThoseOfTheProblemAndTheResolvedConfig) {
    const Device two = cpu(2);
    const FilterDesc filter{.shape = {1, 3, 100, 1024}, .filter = {.id = 6}, .border = Border::wrap};
    const auto by_rule = features(two, filter, {});
    ASSERT_TRUE(by_rule) << by_rule.error().message;
    const auto names = feature_names("iir-cpu");
    ASSERT_EQ(by_rule->size(), names.size());
    const auto value = [&](const std::vector<float>& row, std::string_view name) {
        const auto at = std::ranges::find(names, name);
        EXPECT_NE(at, names.end()) << name;
        return row[static_cast<std::size_t>(at - names.begin())];
    };
    EXPECT_FLOAT_EQ(value(*by_rule, "ln_samples"), std::log(307200.0F));
    EXPECT_EQ(value(*by_rule, "rows_4k"), 1);
    EXPECT_EQ(value(*by_rule, "periodic"), 1);
    EXPECT_EQ(value(*by_rule, "threads_most"), static_cast<float>(two.threads()));
    EXPECT_EQ(value(*by_rule, "c_way_x"), -1);
    EXPECT_GT(value(*by_rule, "ln_reach"), 0);
    const auto one = features(two, filter, config("threads:1 stores:past part:256"));
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(value(*one, "c_threads"), 1);
    EXPECT_EQ(value(*one, "c_past"), 1);
    EXPECT_FLOAT_EQ(value(*one, "ln_part"), std::log(256.0F));
    EXPECT_FALSE(features(two, filter, config("way:climb/climb")));
    EXPECT_EQ(feature_names("pool-cpu").size(), 35U);
    EXPECT_EQ(feature_names("iir-cuda").size(), 27U);
    EXPECT_EQ(feature_names("pool-cuda").size(), 31U);
    EXPECT_EQ(feature_names("pool-cuda").back(), "c_carry");
    EXPECT_EQ(model_purposes(Backend::cpu).size() + model_purposes(Backend::cuda).size(),
              model_purposes().size());
    EXPECT_TRUE(feature_names("pool-backward-cuda").empty());
    EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
    const PoolDesc pool{.shape = {1, 1, 64, 64}, .window = {9, 3}, .stride = Extent{2, 1}};
    const auto pooled = features(two, pool, PoolUse::forward, config("way:climb/sequence"));
    ASSERT_TRUE(pooled) << pooled.error().message;
    const auto pool_names = feature_names("pool-cpu");
    const auto at = [&](std::string_view name) {
        return (*pooled)[static_cast<std::size_t>(std::ranges::find(pool_names, name) - pool_names.begin())];
    };
    EXPECT_EQ(at("window_y"), 9);
    EXPECT_EQ(at("overlap_y"), 4.5F);
    EXPECT_EQ(at("c_way_y"), 2);
    EXPECT_EQ(at("c_way_x"), 0);
    EXPECT_EQ(at("ln_part"), -1);
}

}  // namespace
