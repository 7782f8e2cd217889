// SPDX-License-Identifier: MIT
// A record made by hand, the same on every machine, and a folder to put it in.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/record/record.h"

namespace workbench::testing {

// Three cases: a filter, a pooling, and a pooling that failed its parity.
Record sample_record();

// The same on a GPU: the filter throttled, the pooling with nothing but a temperature.
Record sample_gpu_record();

// A new empty folder, removed with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);

// The problems as one text, for matchers.
std::string problems_of(const std::filesystem::path& path);

// Returns what a reader finds in a record that was written.
Record reread(const Record& record);

// Returns the text of a record's JSON with the content_sha256 that fits it, as someone would write it who
// tampers with care.
std::string sealed(nlohmann::json record);

// Writes SHA256SUMS anew, as someone would who tampers with care.
void refresh_sums(const std::filesystem::path& directory);

}  // namespace workbench::testing
