// SPDX-License-Identifier: MIT
// Makes, resumes and describes data sets of kernels and their IR. docs/synthesis.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/judge.h"

namespace workbench::synth {

constexpr std::size_t records_of_shard = 2048;
constexpr std::uint64_t kernels_of_batch = 50;
constexpr int most_mismatches = 100;  // after which a run stops
constexpr int most_uncompiled = 100;  // in a row, after which a run stops

struct GenerateOptions {
    std::filesystem::path folder;
    std::uint64_t count = 0;
    std::uint64_t seed = 1;
    std::vector<Category> categories;    // empty: all
    std::map<Category, double> weights;  // empty: the same for each
    JudgeOptions judge;
    std::vector<std::string> unavailable;  // default targets that are not there, with the reason; a run that
                                           // goes on keeps those of its beginning
    unsigned jobs = 1;
    bool resume = false;
    std::size_t shard = records_of_shard;  // less in tests
};

struct GenerateProgress {
    std::uint64_t kernels = 0;
    std::uint64_t pairs = 0;
    std::uint64_t skeletons = 0;
    std::map<std::string, std::uint64_t> rejected;
    // Of these what a run that is resumed found in whole shards.
    std::uint64_t found_kernels = 0;
    std::uint64_t found_pairs = 0;
    bool was_complete = false;  // it found a complete data set, and did nothing
};

// Returns how many kernels of each category a run keeps: count / categories each, the rest to the first; by
// weights, the largest remainders first.
std::map<Category, std::uint64_t> quotas_of(const GenerateOptions& options);

// Makes the files, or goes on where whole shards are. bad_argument: the folder has something in it, or was
// begun with other arguments. bad_input: a shard is damaged, or has records in another order or of another
// run. device_failure: a compiler takes none of many kernels in a row. cancelled keeps whole shards. The
// caller looks at rejected["mismatch"].
Result<GenerateProgress> generate_data_set(const GenerateOptions& options, const MakeToolchain& make,
                                           const std::function<void(const GenerateProgress&)>& report = {},
                                           const std::stop_token& stop = {});

// Returns a text with its kernel's name replaced, and the hash of one whose kernel is called k: two records
// of one such hash are duplicates.
std::string with_name(std::string_view text, std::string_view name, std::string_view other);
std::string text_hash(const std::string& text, const std::string& name);

// Return one line of JSON for a kernel that was kept, and for one that was rejected.
std::string record_line(const Judged& judged, const JudgeOptions& options);
std::string rejected_line(const Judged& judged, const JudgeOptions& options);

}  // namespace workbench::synth
