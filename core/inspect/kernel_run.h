// SPDX-License-Identifier: MIT
// One run of a kernel by the PTX executor, as a person asks for it: shapes and arguments as texts.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/ptx/arguments.h"
#include "core/ptx/ptx.h"

namespace workbench::inspect {

struct RunRequest {
    std::string grid = "1";    // X[,Y,Z]
    std::string block = "32";  // X[,Y,Z]
    std::uint32_t shared_bytes = 0;
    std::uint64_t seed = 0;
    std::uint64_t budget = ptx::Launch{}.budget;
    bool all_checks = true;
    std::vector<std::string> arguments;  // as `iir2d ptx run --arg` takes them
};

struct RunOutput {
    std::size_t index = 0;  // of the argument
    std::string type;
    std::size_t count = 0;
    std::string values;  // the first ones, with commas
};

struct RunOutcome {
    ptx::Outcome outcome;
    std::vector<RunOutput> outputs;
};

inline constexpr std::size_t most_values_shown = 256;

// Proposes a run that any kernel takes: one block as large as it demands, or of 32 threads.
RunRequest proposed_run(const ptx::EntryInfo& entry);

// Runs it. bad_argument: a shape or an argument is none, or does not fit, and the sentence names it.
Result<RunOutcome> run_kernel(const ptx::Module& module, const std::string& kernel, const RunRequest& request,
                              const std::stop_token& stop = {});

// Writes the `iir2d ptx run` of the same launch and arguments, with the text in a file. The command checks
// everything, whatever `all_checks` is: it may find races and unwritten reads that this run did not look for.
std::string command_line(const std::string& file, const std::string& kernel, const RunRequest& request);

}  // namespace workbench::inspect
