// SPDX-License-Identifier: MIT
// Holds a data set to what it says: its files, each record's members to its source, and its texts to what
// compilers make of that and what running them gives. docs/synthesis.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/support/task.h"
#include "core/synth/toolchain.h"

namespace workbench::synth {

struct Fault {
    std::string id;     // a record's, or a file's name, or "mutants"
    std::string level;  // files, schema, record, unique, mutant, V0, V1, V2, V3, V4
    std::string what;
};

struct VerifyOptions {
    std::filesystem::path folder;
    std::set<std::string> levels = {"V0", "V2", "V3"};  // V1 takes a time of its own
    std::set<std::string>
        compiled;  // targets whose compiler is here in the data set's version: V0 is for them
    std::set<std::string> assembled;  // targets whose PTX can be assembled here: V1
    std::set<std::string> on_gpu;     // targets whose PTX the GPU here takes: V4
    bool has_host = true;             // host IR can be run: V2
    std::uint64_t sample = 0;         // records that are looked into, spread evenly; 0: all
    std::uint64_t mutants = 0;
    unsigned jobs = 1;
};

struct MutantCounts {
    std::uint64_t made = 0;
    std::uint64_t equivalent = 0;  // whose results stay the same
    std::uint64_t rejected = 0;
    std::uint64_t passed = 0;
    std::map<std::string, std::uint64_t> by_kind;  // made, but for the equivalent
};

struct Verified {
    std::uint64_t records = 0;
    std::map<std::string, std::uint64_t> checked;  // records looked into by "record"; texts by V0 to V4
    std::vector<Fault> faults;
    MutantCounts mutants;
};

// Verifies a data set. `found` is called with each fault as it is found. bad_input: there is no data set.
Result<Verified> verify_data_set(const VerifyOptions& options, const MakeToolchain& make,
                                 const std::function<void(const Fault&)>& found = {},
                                 const TaskControl& control = {});

}  // namespace workbench::synth
