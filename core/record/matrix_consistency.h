// SPDX-License-Identifier: MIT
// Whether a record has the cases that its matrix gives, the command line that runs it, and the matrix that
// its protocol names.
#pragma once

#include <nlohmann/json.hpp>

#include "core/record/consistency.h"

namespace workbench {

// The record has passed its schema.
void check_matrix(const nlohmann::json& record, const Findings& found);

}  // namespace workbench
