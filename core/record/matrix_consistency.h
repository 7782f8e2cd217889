// SPDX-License-Identifier: MIT
// Whether a record has the cases that its matrix gives, and the matrix that its protocol names.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace workbench {

// Sentences on what does not fit; none for records before record-4, whose matrix
// need not say all.
// The record has passed its schema.
std::vector<std::string> matrix_inconsistencies(const nlohmann::json& record);

}  // namespace workbench
