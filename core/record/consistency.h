// SPDX-License-Identifier: MIT
// What a record claims, worked out again from its own samples.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace workbench {

// Sentences on what does not follow from the record itself; empty when everything does. The record has passed
// its schema.
std::vector<std::string> inconsistencies(const nlohmann::json& record);

}  // namespace workbench
