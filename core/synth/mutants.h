// SPDX-License-Identifier: MIT
// Records that are wrong on purpose, which verifying has to reject.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/synth/check.h"
#include "core/synth/data_set_files.h"
#include "core/synth/toolchain.h"

namespace workbench::synth {

struct Mutant {
    std::string kind;  // "source operator", "ptx register", "split"
    std::string id;    // of the record that it was made of
    std::string name;  // of its kernel
    std::string what;  // was changed
    std::string line;
    bool is_added = false;  // it stands beside the record, not in its place
    // Text that may give the same results after the change: a source, or the text of a target that is run;
    // empty: none may.
    std::string before;
    std::string after;
    std::string cuda;       // the source of the text
    std::string canonical;  // of which inputs are drawn
    std::size_t target = 0;
    bool is_backward = false;
    bool is_source = false;
};

// Makes `count` of `records`, record by record; the same of the same.
struct Mutation {
    const RunFacts* run = nullptr;
    std::uint64_t count = 0;
    std::uint64_t records = 0;

    std::vector<Mutant> of(const nlohmann::json& record);

    std::uint64_t seen = 0;  // records
    std::uint64_t made = 0;
    nlohmann::json other = {};  // the record before
};

// Returns whether the results of a mutant stay the same: bit by bit, on its inputs. `checked` is its line, as
// check_lines() left it.
Result<bool> is_equivalent(const Mutant& mutant, const Checked& checked, const RunFacts& run,
                           Toolchain& toolchain);

}  // namespace workbench::synth
