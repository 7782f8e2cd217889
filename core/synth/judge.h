// SPDX-License-Identifier: MIT
// Candidates, compiled and run: kept with their texts, or rejected with the reason.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/adjoint.h"
#include "core/synth/expect.h"
#include "core/synth/generate.h"
#include "core/synth/toolchain.h"

namespace workbench::synth {

struct Text {
    std::size_t target = 0;
    bool is_backward = false;
    std::string text;
};
struct Verification {
    std::string level;
    std::size_t target = 0;
    bool is_backward = false;
    bool is_exact = false;
    double max_ulp = 0;
    double worst_of_bound = 0;
};

struct Judged {
    std::uint64_t index = 0;
    Candidate candidate;
    Backward backward;  // where it was asked for
    Expected expected;
    Expected backward_expected;  // where there is a backward kernel
    std::vector<Text> texts;
    std::vector<Verification> verifications;
    std::string reason;  // empty: kept; else undecided, compiler_error, compiler_died, mismatch
    std::string detail;
};

struct JudgeOptions {
    std::vector<Target> targets;
    bool backward = false;
    LoopValues loop_values = LoopValues::in_arrays;  // of backward kernels; those of data sets have no tape
    std::vector<std::string> levels = {"V0", "V2", "V3"};  // V0 holds of what was just compiled
    bool has_level(std::string_view level) const {
        return std::find(levels.begin(), levels.end(), level) != levels.end();
    }
    TimeLimit limit =
        {};  // of what somebody wrote; data sets have none, so that no time decides what is in them
};

// A stored text that is to be run or assembled, and what came of that.
struct Trial {
    const Tree* tree = nullptr;
    const std::string* text = nullptr;
    const Expected* expected = nullptr;
    std::string detail;              // what disagrees, or was found; empty: nothing
    bool has_other_results = false;  // it ran to its end, and what it gives is `detail`
    bool has_died = false;           // the process that ran or assembled it died, as `detail` says
    bool is_exact = false;
    double max_ulp = 0;
    double worst_of_bound = 0;
};
// Runs the checks V2 and V3, by the target's level; with `on_gpu` V4.
Result<void> run_trials(const Target& target, std::vector<Trial>& trials, Toolchain& toolchain,
                        std::optional<DriverCompiles> on_gpu = {});
// Runs the check V1: assembles the texts.
Result<void> assemble_trials(const Target& target, std::vector<Trial>& trials, Toolchain& toolchain);

// Fills `expected`, and `backward` with `backward_expected` where that is asked for, of the candidate.
// Returns why there is nothing to expect of it; empty: there is.
std::string take_expectations(Judged& judged, const JudgeOptions& options);

// Compiles and runs the candidates together. Texts that one has already are run as they are. Where the limit
// is over, its error.
Result<std::vector<Judged>> judge(std::vector<Judged> batch, const JudgeOptions& options,
                                  Toolchain& toolchain);

}  // namespace workbench::synth
