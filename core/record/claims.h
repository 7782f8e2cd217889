// SPDX-License-Identifier: MIT
// What a record allows one to claim, said by its own data.
#pragma once

#include <string>

#include "core/record/record.h"

namespace workbench {

// Three sections of the report: how it was measured, claim hygiene, approvals.
std::string claims_sections(const Record& record);

// Returns a case's mark throughout the report: " (inconclusive)" or nothing.
std::string conclusive_mark(const CaseResult& one);

}  // namespace workbench
