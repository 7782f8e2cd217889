// SPDX-License-Identifier: MIT
// What a record claims, worked out again from its own samples.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace workbench {

// Takes a sentence on what does not follow from the record itself. It may quote the record: keys shortened,
// but not escaped.
using Findings = std::function<void(const std::string& sentence)>;

// Finds what does not follow; nothing when everything does. The record has passed its schema.
void check_consistency(const nlohmann::json& record, const Findings& found);

}  // namespace workbench
