// SPDX-License-Identifier: MIT
// What a release needs at its stage, and what of it there is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/release/checks.h"
#include "core/release/state.h"
#include "core/support/task.h"

namespace workbench {

// How a requirement stands: `missing` is not met because there is nothing yet, `failed` because of what there
// is. `later` is not met, but not needed at this stage either. What nothing was supplied for never holds.
enum class Standing { held, waived, missing, failed, later };

struct Requirement {
    std::string id;       // "A.tests"; the letter is the gate's
    std::string what;     // what must hold, as a sentence
    bool needed = false;  // at the release's stage
    bool met = false;
    bool waived = false;  // not met, but a waiver counts
    std::string finding;  // what was found, or what is missing and how to supply it
    // How it can be supplied: by evidence of these kinds, by the sign-off of a role (empty: by none), by a
    // waiver of one of these scopes.
    std::vector<std::string> kinds;
    std::string role;
    std::vector<std::string> waivable;
    bool nothing_there = false;
    bool holds() const { return met || waived; }
    Standing standing() const;
};

struct Evaluation {
    std::string as_of;  // UTC
    std::vector<Requirement> requirements;
    // "A.tests: ..." of each that is needed and does not hold, in order.
    std::vector<std::string> blockers() const;
    // The first and how many more; empty: there is none.
    std::string first_blocker() const;
};

// Gate A: green test report on this commit, parity 100 %, C API status contract, no open P0, open P1 only
// with a waiver. B: the last two test reports green, a clean rebuild with the same library or a stated
// reason, a smoke record. C: a standard record, a baseline that a role holder signed, no case above the
// limit. D: packaging, licence, notices, security review, no open P0 or P1, four sign-offs on what there is.
// dev needs A; rc A to C and no P0; ga all. Reads the evidence under `directory`; what cannot be read or has
// changed is not met, and says why. A waiver counts up to the day of `utc`, but not once an entry was written
// after its day. When `control` asks to stop, the requirements that follow are not looked at: what is
// returned then is to be thrown away.
Evaluation evaluate_release(const std::filesystem::path& directory, const ReleaseState& state,
                            const std::string& utc, const TaskControl& control = {});

// As of the release's last entry, by what the clock showed for it.
Evaluation evaluate_as_logged(const std::filesystem::path& directory, const ReleaseState& state,
                              const TaskControl& control = {});

// What is wrong with the promotion that the log of `state` ends with, as a sentence that names its line;
// empty when nothing is, or there is none. `evaluation` is evaluate_as_logged()'s.
std::string wrong_with_promotion(const ReleaseState& state, const Evaluation& evaluation);

// A letter's name: "Technical confidence".
std::string_view gate_name(char letter);

}  // namespace workbench
