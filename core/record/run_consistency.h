// SPDX-License-Identifier: MIT
// Whether what a record says of its run fits together: times, threads and the build.
#pragma once

#include <nlohmann/json.hpp>

#include "core/record/consistency.h"

namespace workbench {

// The record has passed its schema.
void check_run(const nlohmann::json& record, const Findings& found);

}  // namespace workbench
