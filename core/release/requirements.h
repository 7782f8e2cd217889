// SPDX-License-Identifier: MIT
// What the gates require, as a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/release/state.h"

namespace workbench {

enum class Waivable { no, yes };

struct RequirementRow {
    std::string id;                  // "A.tests"; the letter is the gate's
    std::string what;                // "{limit}" stands for the release's largest regression
    Stage from;                      // the first stage that needs it
    Waivable waivable;               // by its id
    std::vector<std::string> kinds;  // of evidence: without something of each it is missing
    std::string role;                // whose sign-off it is; empty: nobody's
};
const std::vector<RequirementRow>& requirement_rows();

// Whether a requirement may be waived at all; issues are waived by "issue:ID".
bool is_waivable(std::string_view scope);
std::string waivable_requirements();  // "A.c-api, B.two-runs or ..."

}  // namespace workbench
