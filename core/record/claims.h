// SPDX-License-Identifier: MIT
// What a record allows one to claim, said by its own data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace workbench {

// The sections of the report that came with record-4: how it was measured, claim hygiene, approvals. Empty
// for older records.
std::string claims_sections(const nlohmann::json& record);

// Throughout the report a case's mark: " (inconclusive)" or nothing.
std::string conclusive_mark(const nlohmann::json& one);

}  // namespace workbench
