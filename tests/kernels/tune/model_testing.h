// SPDX-License-Identifier: MIT
// Models made for tests, and the library's decisions as they are when nothing was loaded.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace tune_testing {

// Every option, model and entry of the process is gone before a test and after it.
class TuneTest : public testing::Test {
  protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }

  private:
    static void clear() {
        iir2d::set_tune_options({});
        iir2d::set_chooser(nullptr);
        iir2d::forget_models();
        iir2d::forget_learned();
        iir2d::statistics(true);
    }
};

// Of this machine and these kernels, its trees drawn by a seed.
inline iir2d::TreeModel drawn_model(const std::string& purpose, std::uint64_t seed, std::size_t trees = 20,
                                    std::size_t depth = 4) {
    const auto names = iir2d::feature_names(purpose);
    iir2d::TreeModel model{.purpose = purpose,
                           .version = "1.0." + std::to_string(seed),
                           .machine = iir2d::machine_id().value_or(""),
                           .kernels = std::string(iir2d::kernels_id()),
                           .margin = 0.02F,
                           .features = {names.begin(), names.end()}};
    std::mt19937_64 random(seed);
    const auto number = [&](float scale) { return scale * (static_cast<float>(random() % 2001) / 1000 - 1); };
    for (iir2d::TreeEnsemble* e : {&model.gain, &model.level}) {
        e->depth = depth;
        e->base = number(0.1F);
        for (std::size_t i = 0; i < trees * e->tests_of_a_tree(); ++i) {
            e->tests.push_back(static_cast<std::uint16_t>(random() % names.size()));
            e->thresholds.push_back(number(12));
        }
        for (std::size_t i = 0; i < trees * e->leaves_of_a_tree(); ++i) e->leaves.push_back(number(0.05F));
    }
    return model;
}

// Predicts `gain` (a logarithm) where a feature is below a threshold, and 0 else.
inline iir2d::TreeModel one_test_model(const std::string& purpose, const std::string& feature,
                                       float threshold, float gain) {
    iir2d::TreeModel model = drawn_model(purpose, 1, 0, 0);
    const auto names = iir2d::feature_names(purpose);
    const auto index = std::ranges::find(names, feature) - names.begin();
    model.gain = {.depth = 1,
                  .base = 0,
                  .tests = {static_cast<std::uint16_t>(index)},
                  .thresholds = {threshold},
                  .leaves = {gain, 0}};
    return model;
}

inline std::string text_of(const iir2d::TreeModel& model) {
    auto text = iir2d::text_of_model(model);
    EXPECT_TRUE(text) << text.error().message;
    return text.value_or("");
}

}  // namespace tune_testing
