// SPDX-License-Identifier: MIT
// What is known of a kernel that is inside the kernel language: what it is run on, its backward kernel, and
// whether its compiled texts give what is expected.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/inspect/data_set_view.h"
#include "core/inspect/kernel_run.h"
#include "core/support/error.h"
#include "core/support/time_limit.h"
#include "core/synth/toolchain.h"

namespace workbench::inspect {

// Returns the launch and the inputs of each set that a kernel of the language is verified with; of its
// backward kernel where that is asked for. bad_input: the source is outside of the language, and the sentence
// names the line.
Result<std::vector<RunRequest>> verified_runs(std::string_view source, std::string_view kernel, bool backward,
                                              const std::stop_token& stop = {});

// A kernel of somebody's source.
struct LanguageCheck {
    bool is_inside = false;
    std::string outside;  // why it is not, with the line
    std::string source;   // CUDA C++ of the kernel alone, as its tree is printed
    std::string backward_source;
    std::string backward_kernel;
    std::string no_backward;          // why there is none
    std::vector<RecordText> texts;    // of the tree as it is printed, by target
    std::vector<RecordLevel> levels;  // that they passed
    std::vector<RunRequest> runs;     // the launch and inputs of each set that it was verified with
    std::vector<RunRequest> backward_runs;
    std::string rejected;  // "mismatch: ...": what a text did not pass; empty: nothing
};

// Reads a source, and of a kernel inside the language compiles forward and backward kernel to the targets and
// runs them as those of data sets are. Errors are those of the toolchain, which has the same limit, and of
// the limit.
Result<LanguageCheck> check_language(std::string_view source, std::string_view kernel,
                                     const std::vector<synth::Target>& targets, synth::Toolchain& toolchain,
                                     const TimeLimit& limit = {});

}  // namespace workbench::inspect
