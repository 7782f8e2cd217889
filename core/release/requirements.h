// SPDX-License-Identifier: MIT
// What a release must hold to be promoted: gates, and the table of their requirements. Everything else that
// speaks of requirements (evaluation, rules of the log, help texts, the board of the window) reads it here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/release/state.h"

namespace workbench {

class Checks;    // core/release/checks.h
struct Finding;  // core/release/checks.h

struct Gate {
    char letter;
    std::string_view name;
};
std::span<const Gate> gates();

enum class Waivable { no, yes };

struct RequirementRow {
    std::string id;                  // "A.tests"; the letter is the gate's
    Stage from;                      // the first stage that needs it
    Waivable waivable;               // by its id
    std::vector<std::string> kinds;  // of evidence: where nothing is attached as one of them, it is missing
    std::string role;                // whose sign-off it is; empty: nobody's
    // Says whether it holds. Called only where something is attached as each of `kinds`.
    Finding (*check)(const Checks& checks, const RequirementRow& row);
    std::string title;         // what must hold; "{limit}" stands for the release's largest regression
    std::string remedy;        // what to do where it does not hold
    std::string instead = {};  // a kind that stands for all of `kinds` where it is attached
    char gate() const { return id[0]; }
};
const std::vector<RequirementRow>& requirement_rows();

// Returns what a stage needs: "gates A, B and C, and D.p0".
std::string needs_of(Stage stage);
// Returns that of all: "dev needs gate A; rc needs ...".
std::string needs_of_stages();
// Returns the names of those that need a key of each role: "rc and ga".
std::string stages_with_keys();

// Says whether a requirement may be waived at all; issues are waived by "issue:ID".
bool is_waivable(std::string_view scope);
// Returns the ids of those that may be waived: "A.c-api, B.two-runs or ...".
std::string waivable_requirements();

}  // namespace workbench
