// SPDX-License-Identifier: MIT
// What the tests of decisions and of learning share: a problem, its choice, and loading a model.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "iir2d/plan.h"
#include "tests/kernels/tune/model_testing.h"

namespace tune_testing {

inline const iir2d::FilterDesc grey{.shape = {1, 1, 300, 700}, .filter = {.id = 6}};

inline iir2d::Choice choice_of(const iir2d::Device& device, const iir2d::FilterDesc& desc = grey) {
    const auto plan = iir2d::FilterPlan::make(device, desc);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan->choice();
}

inline std::uint64_t count_of(const iir2d::TuneStatistics& said, iir2d::TuneReason reason) {
    return said.reasons[static_cast<std::size_t>(reason)];
}

inline std::optional<iir2d::TuneReason> load(const iir2d::TreeModel& model, bool is_proven = true,
                                             const std::string& table = "") {
    const auto loaded = iir2d::load_model(text_of(model), is_proven, table);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded.value_or(std::nullopt);
}

}  // namespace tune_testing
