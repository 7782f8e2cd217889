// SPDX-License-Identifier: MIT
// Benchmark records: record.json is the master copy, record.csv has one row a case, record.md is generated
// from the JSON and so are its charts, statement.json attests it to supply-chain tools, SHA256SUMS covers
// them all, SHA256SUMS.sig signs it where there was a key. A record directory appears whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/record/environment.h"
#include "core/support/error.h"
#include "core/support/signing.h"

namespace workbench {

inline constexpr int record_schema_version = 1;
inline constexpr std::string_view seal_name = "content_sha256";  // the record_id, in the record itself

struct Record {
    BenchmarkRun run;
    Environment environment;
    std::string command_line;  // that reproduces it
    std::string reproduces;    // the record_id of what this measured again; empty: nothing
};

std::string record_to_json(const Record& record);
// From the record's JSON, so that it can be made again by anyone who has it.
Result<std::string> record_to_csv(std::string_view json);
Result<std::string> record_to_markdown(std::string_view json);

// Charts of a record, each a file of its own in the record's directory.
enum class RecordChart { latency, ratio_to_copy };
std::string_view file_name_of(RecordChart chart);  // "latency.svg", "ratio.svg"
// A whole SVG 1.1 document, one row a case, at most 200 of them. From the record's JSON, as the others.
Result<std::string> record_to_svg(std::string_view json, RecordChart chart);

// The `iir2d bench` command of a matrix; an image and a recipe are named by the given paths.
std::string bench_command_line(const BenchmarkMatrix& matrix, const std::string& image_path,
                               const std::string& recipe_path);

// Writes a new directory, signed when there is a key. An existing one is unwritable_output.
Result<void> write_record(const Record& record, const std::filesystem::path& directory,
                          const std::optional<SigningKey>& key = std::nullopt);

// Returns the record_id: the SHA-256 of the record's JSON in canonical form without content_sha256, which is
// it. bad_input where it is not.
Result<std::string> record_id_of(std::string_view json);

// `base`/YYYYMMDD-HHMMSS-<host>, with a suffix when taken.
std::filesystem::path new_record_directory(const std::filesystem::path& base);

struct Verification {
    std::vector<std::string> checked;   // what was found good
    std::vector<std::string> problems;  // each names the file and what is wrong; empty means accepted
    std::size_t more_problems = 0;      // that were found beyond the first 200, which are listed
    std::vector<std::string> notes;     // what an acceptance does not cover; none for a directory
    std::string record_id;              // empty when there is no JSON to take it of
    std::optional<PublicKey> signer;    // whose signature the record has; absent without a good one
};
// A record directory, or one record.json. bad_input when there is nothing to verify; problems are not errors.
// Every sentence is one line of UTF-8 without control characters, whatever the files hold.
Result<Verification> verify_record(const std::filesystem::path& path);

// The same of the text of a lone record.json.
Verification verify_record_text(std::string_view json);

// Every key must be known, every value of its type and range.
Result<void> validate_against_schema(std::string_view json, std::string_view schema_name);

}  // namespace workbench
