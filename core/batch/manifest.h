// SPDX-License-Identifier: MIT
// What a batch remembers of the images it has finished, beside them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/support/error.h"

namespace workbench {

// What made an output: equal ingredients and an equal output mean that there is nothing to do again.
struct ManifestEntry {
    std::string work;  // SHA-256 of recipe and options
    std::string input;
    std::string output;
};

// The manifest of one folder, which several processes may write to: each change is made to what the file says
// then, under a lock, and the file is written whole. Not thread-safe within a process.
class Manifest {
  public:
    // A file that cannot be read only means that everything is done again.
    explicit Manifest(std::filesystem::path folder);

    // Of an output's file name; as the file was when it was last read.
    std::optional<ManifestEntry> entry(const std::string& name) const;

    // An absent entry removes the one there is. Cancelled when `stop` asks while another process has the
    // lock.
    Result<void> set(const std::string& name, const std::optional<ManifestEntry>& entry,
                     const std::stop_token& stop);

  private:
    void read();
    Result<void> write() const;

    std::filesystem::path m_folder;
    std::map<std::string, ManifestEntry> m_entries;  // by key_of() the output's file name
};

}  // namespace workbench
