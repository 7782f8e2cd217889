// SPDX-License-Identifier: MIT
// The files of a data set beside the lines of its shards: what they say of a run, written and read.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/synth/generate.h"
#include "core/synth/statistics.h"
#include "core/synth/toolchain.h"

namespace workbench::synth {

// Holds all that decides what is made, and the default targets that were not there; run.json has it.
struct RunFacts {
    int generator = generator_version;
    std::uint64_t seed = 1;
    std::uint64_t count = 0;
    std::map<Category, std::uint64_t> quotas;
    std::vector<Target> targets;
    bool backward = false;
    std::vector<std::string> levels;
    std::size_t shard = 0;                 // records of each but the last
    std::vector<std::string> unavailable;  // "TARGET: why"; run.json has the member where there are any
};

std::filesystem::path shard_path(const std::filesystem::path& folder, std::size_t number, bool rejected);

std::string run_text(const RunFacts& run);
// Reads run.json. bad_input: there is no data set, or run.json is not as run_text() writes it.
Result<RunFacts> read_run(const std::filesystem::path& folder);
// Returns the first member that differs of two such texts, in words.
std::string first_difference(const std::string& found, const std::string& wanted);

// The other files, of all lines of all shards.
struct ShardFacts {
    std::string file;  // "shards/00000.jsonl.zst"
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    std::string sha256;
};
struct FileTexts {
    std::string stats;     // stats.json
    std::string table;     // stats.md
    std::string sums;      // SHA256SUMS
    std::string manifest;  // manifest.json
};
FileTexts file_texts(const RunFacts& run, const Statistics& statistics, const std::vector<ShardFacts>& shards,
                     const std::string& libm);
std::string libm_version();

// Reads the lines of one file of a shard, adding to the statistics what `add` does not refuse.
Result<ShardFacts> summarize(const std::filesystem::path& folder, std::size_t number, bool rejected,
                             Statistics& statistics);

// Writes stats.json, stats.md, SHA256SUMS and manifest.json of the shards that are there.
Result<void> finish_files(const std::filesystem::path& folder, const RunFacts& run);

}  // namespace workbench::synth
