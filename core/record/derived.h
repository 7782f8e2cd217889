// SPDX-License-Identifier: MIT
// The files that are made from a record's JSON and from nothing else. Each function takes a record that fits
// its schema (parse_record), and fails with bad_input where it says what cannot be written.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/record/record.h"
#include "core/support/error.h"

namespace workbench {

inline constexpr std::string_view statement_name = "statement.json";

Result<std::string> csv_of(const nlohmann::json& record);
Result<std::string> markdown_of(const nlohmann::json& record);
Result<std::string> svg_of(const nlohmann::json& record, RecordChart chart);

// What the record attests, in the form that supply-chain tools read: an in-toto Statement (v1) with a SLSA
// provenance predicate (v1). Its subjects are the record's files by their SHA-256 (`digests`: name to hex),
// its parameters the command line and matrix, its dependencies the library, the source commit, the input
// image.
Result<std::string> statement_of(const nlohmann::json& record,
                                 const std::map<std::string, std::string>& digests);

// All of them by name. `text` is record.json as it is on disk, which the statement attests.
Result<std::map<std::string, std::string>> derived_files(std::string_view text, const nlohmann::json& record);

// Whether a record must have the file; the others may be missing.
bool is_needed(std::string_view derived_name);

// Whether a record's directory has a file of this name that SHA256SUMS lists: record.json or one made from
// it.
bool is_record_file(std::string_view name);

}  // namespace workbench
