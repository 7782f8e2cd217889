// SPDX-License-Identifier: MIT
// The process that reads damaged images as a program of ours does, and must not die of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace workbench::fuzz {

struct Plan {
    std::filesystem::path corpus;
    std::filesystem::path scratch;  // for the files being read, and for the results
    std::filesystem::path keep;     // where files that end a worker are kept; empty: nowhere
    std::string format;             // only this one; empty: all
    std::uint64_t count = 0;        // files; 0: until the time is up
    std::uint64_t seconds = 0;      // 0: until all are read
    std::uint64_t seed = 1;
    std::uint64_t first = 0;  // index of the first file: with --count 1, that one again
    unsigned jobs = 2;
    std::uint64_t patience = 60;  // seconds until reading a file is cancelled, as a user would
};

// Whole files by format; "pnm" for all of that family, else the extension.
struct Original {
    std::string extension;
    std::string bytes;
};
using Corpus = std::map<std::string, std::vector<Original>>;
Corpus load_corpus(const std::filesystem::path& folder, const std::string& only);

// Names in the scratch folder.
inline constexpr const char* table_file = "table.md";
inline constexpr const char* counts_file = "counts.json";
inline constexpr const char* peak_file = "peak";  // the host's own resident memory, bytes
inline constexpr const char* job_prefix = "job-";

// Reads mutations of `corpus` until the plan is done or an interrupt comes; writes the results. Exit code.
int run_host(const Plan& plan, const Corpus& corpus);

}  // namespace workbench::fuzz
