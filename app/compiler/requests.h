// SPDX-License-Identifier: MIT
// What the compiler process is asked, as functions from JSON to JSON.
#pragma once

#include <nlohmann/json.hpp>

namespace app {

// Returns the answer: "refused" with a sentence where a target is not available or the question is not
// understood.
nlohmann::json answer_to(const nlohmann::json& question);

}  // namespace app
