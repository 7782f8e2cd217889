// SPDX-License-Identifier: MIT
// Measures how much longer making a plan takes with a model.
#pragma once

#include <string>
#include <string_view>

#include "core/support/error.h"
#include "core/tune/data.h"

namespace workbench::tune {

struct DecisionTimes {
    std::size_t problems = 0;
    double load_ms = 0;       // of the model's text
    double fresh_us_p50 = 0;  // of a decision that was not made before
    double fresh_us_p99 = 0;
    double cached_us_p50 = 0;
    double cached_us_p99 = 0;
};

// Times the decisions of a model for the problems of its purpose that are measured, in the order given: what
// making a plan takes more than making it with static, in pairs. Sets the process's tune mode and models, and
// forgets the models after. bad_argument: the model may not decide here, or there is no such problem.
Result<DecisionTimes> decision_times(std::string_view model_text, const Measurements& all);

}  // namespace workbench::tune
