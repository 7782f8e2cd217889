// SPDX-License-Identifier: MIT
// What a record allows one to claim, said by its own data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace workbench {

// Three sections of the report: how it was measured, claim hygiene, approvals.
std::string claims_sections(const nlohmann::json& record);

// Throughout the report a case's mark: " (inconclusive)" or nothing.
std::string conclusive_mark(const nlohmann::json& one);

}  // namespace workbench
