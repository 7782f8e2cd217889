// SPDX-License-Identifier: MIT
// Candidates, compiled and run: kept with their texts, or rejected with the reason.
#pragma once

#include <map>
#include <string>
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
    std::vector<Text> texts;
    std::vector<Verification> verifications;
    std::string reason;  // empty: kept; else undecided, compiler_error, compiler_died, mismatch
    std::string detail;
};

struct JudgeOptions {
    std::vector<Target> targets;
    bool backward = false;
    bool runs = true;  // V2 and V3
};

// Compiles and runs the candidates together.
Result<std::vector<Judged>> judge(std::vector<Judged> batch, const JudgeOptions& options,
                                  Toolchain& toolchain);

}  // namespace workbench::synth
