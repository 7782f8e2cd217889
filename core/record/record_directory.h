// SPDX-License-Identifier: MIT
// The directory of a record of any kind: plain files, all of them listed in SHA256SUMS, which may be signed.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "core/record/record.h"

namespace workbench {

struct RecordDirectory {
    Verification verification;    // of the files' kinds, sizes and hashes and of the signature
    std::set<std::string> names;  // of the plain files
};
// bad_input: it cannot be listed.
Result<RecordDirectory> check_record_directory(const std::filesystem::path& directory);

}  // namespace workbench
