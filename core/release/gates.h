// SPDX-License-Identifier: MIT
// Evaluates a release: what its stage needs, and what of it there is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/release/checks.h"
#include "core/release/state.h"
#include "core/support/task.h"

namespace workbench {

// Says how a requirement stands: `missing` is not met because there is nothing yet, `failed` because of what
// there is. `later` is not met, but not needed at this stage either. What nothing was supplied for never
// holds.
enum class Standing { held, waived, missing, failed, later };

struct Requirement {
    std::string id;       // "A.tests"
    std::string title;    // what must hold, with the release's limit
    bool needed = false;  // at the release's stage
    bool met = false;
    bool waived = false;  // not met, but a waiver counts
    std::string finding;  // what was found, or what is missing
    std::string remedy;   // what to do where it does not hold
    // Name how it can be supplied: by evidence of these kinds, by the sign-off of a role (empty: by none), by
    // a waiver of one of these scopes.
    std::vector<std::string> kinds;
    std::string role;
    std::vector<std::string> waivable;
    bool nothing_there = false;
    char gate() const { return id[0]; }
    bool holds() const { return met || waived; }
    Standing standing() const;
};

struct Evaluation {
    std::string as_of;  // UTC
    std::vector<Requirement> requirements;
    // Returns "A.tests: ..." of each that is needed and does not hold, in order.
    std::vector<std::string> blockers() const;
    // Returns the first and how many more there are; empty: there is none.
    std::string first_blocker() const;
};

// Judges a release by the rows of requirement_rows(). Reads the evidence under `directory`; what cannot be
// read or has changed is not met, and says why. A waiver counts up to the day of `utc`, but not once an entry
// was written after its day. When `control` asks to stop, the requirements that follow are not looked at:
// what is returned then is to be thrown away.
Evaluation evaluate_release(const std::filesystem::path& directory, const ReleaseState& state,
                            const std::string& utc, const TaskControl& control = {});

// Judges it as of its last entry, by what the clock showed for it.
Evaluation evaluate_as_logged(const std::filesystem::path& directory, const ReleaseState& state,
                              const TaskControl& control = {});

// Says what is wrong with the promotion that the log of `state` ends with, as a sentence that names its line;
// empty when nothing is, or there is none. `evaluation` is evaluate_as_logged()'s.
std::string wrong_with_promotion(const ReleaseState& state, const Evaluation& evaluation);

}  // namespace workbench
