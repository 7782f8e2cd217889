// SPDX-License-Identifier: MIT
// What was measured, from a record's JSON back to the results it was written from.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/support/error.h"

namespace workbench {

// The cases of a JSON that fits the schema of records, in their order. bad_input where a case cannot
// be read.
Result<std::vector<CaseResult>> results_of_record(const nlohmann::json& record);

}  // namespace workbench
