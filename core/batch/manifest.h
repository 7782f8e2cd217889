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
    // A manifest that cannot be read has no entries: everything is done again.
    explicit Manifest(std::filesystem::path folder);

    // Returns the entry of an output's file name, as the file was when it was last read.
    std::optional<ManifestEntry> entry(const std::string& name) const;

    // Writes the entry; an absent one removes what there is. A file that makes no sense is set aside under
    // its name and ".damaged", one that cannot be read stays as it is and is an error: it may hold the
    // entries of others. Cancelled when `stop` asks while another process has the lock.
    Result<void> set(const std::string& name, const std::optional<ManifestEntry>& entry,
                     const std::stop_token& stop);

  private:
    // What read() finds.
    enum class Found { entries, nothing, damaged };
    Result<Found> read();
    Result<void> write() const;

    std::filesystem::path m_folder;
    std::map<std::string, ManifestEntry> m_entries;  // by key_of() the output's file name
};

}  // namespace workbench
