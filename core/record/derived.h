// SPDX-License-Identifier: MIT
// The files that are made from a record and from nothing else.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/record/record.h"

namespace workbench {

inline constexpr std::string_view statement_name = "statement.json";

// Returns what the record attests, in the form that supply-chain tools read: an in-toto Statement (v1) with a
// SLSA provenance predicate (v1). Its subjects are the record's files by their SHA-256 (`digests`: name to
// hex), its parameters the command line and matrix, its dependencies the library, the source commit, the
// input image.
std::string statement_of(const Record& record, const std::map<std::string, std::string>& digests);

// Returns all of them by name. `text` is record.json as it is on disk, which the statement attests.
std::map<std::string, std::string> derived_files(std::string_view text, const Record& record);

// Returns whether a record must have the file; the others may be missing.
bool is_needed(std::string_view derived_name);

// Returns whether a record's directory has a file of this name that SHA256SUMS lists: record.json or one made
// from it.
bool is_record_file(std::string_view name);

}  // namespace workbench
