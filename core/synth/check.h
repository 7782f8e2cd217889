// SPDX-License-Identifier: MIT
// Inside core/synth only: checks records against what their sources give.
#pragma once

#include <nlohmann/json.hpp>

#include "core/synth/data_set_files.h"
#include "core/synth/judge.h"
#include "core/synth/verify.h"

namespace workbench::synth {

// A line of a shard, and what became of it.
struct Checked {
    std::string line;
    std::string place;  // "shards/00000.jsonl.zst, line 12", of what has no id
    bool is_looked_into = true;
    nlohmann::json record;  // null where the line has another shape
    std::vector<Fault> faults;
};

struct CheckOptions {
    const RunFacts* run = nullptr;
    const VerifyOptions* verify = nullptr;
    bool is_drawn = true;  // of an index the generator gives that kernel; mutants are none of its, and no GPU
                           // is given them
};

// Returns what a record would be, made anew of its source: with the texts that it has, and its verification
// where nothing was run. An error says why its source gives none.
Result<Judged> remade(const nlohmann::json& record, const CheckOptions& options);
JudgeOptions judge_options(const RunFacts& run);

// Checks lines, at most 50 of them, together. Counts texts by level.
Result<void> check_lines(std::vector<Checked>& lines, const CheckOptions& options, Toolchain& toolchain,
                         std::map<std::string, std::uint64_t>& counts);

}  // namespace workbench::synth
