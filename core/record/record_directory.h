// SPDX-License-Identifier: MIT
// The directory of a record of any kind: plain files, all of them listed in SHA256SUMS, which may be signed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/record/record.h"
#include "core/support/signing.h"

namespace workbench {

struct RecordDirectory {
    Verification verification;    // of the files' kinds, sizes and hashes and of the signature
    std::set<std::string> names;  // of the plain files
};
// bad_input: it cannot be listed.
Result<RecordDirectory> check_record_directory(const std::filesystem::path& directory);

// Writes the files of a record by name, SHA256SUMS over them and, with a key, its signature. The directory
// appears whole or not at all. The errors of write_directory_atomically() and of the key.
Result<void> write_record_directory(const std::filesystem::path& directory,
                                    std::map<std::string, std::string> files,
                                    const std::optional<SigningKey>& key);

}  // namespace workbench
