// SPDX-License-Identifier: MIT
// Benchmark records: record.json is the master copy, record.csv has one row a case, record.md is generated
// from the JSON, SHA256SUMS covers all three. A record directory appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/record/environment.h"
#include "core/support/error.h"

namespace workbench {

inline constexpr int record_schema_version = 3;

struct Record {
    BenchmarkRun run;
    Environment environment;
    std::string command_line;  // that reproduces it
};

std::string record_to_json(const Record& record);
// From the record's JSON, so that it can be made again by anyone who has it.
Result<std::string> record_to_csv(std::string_view json);
Result<std::string> record_to_markdown(std::string_view json);

// The `iir2d bench` command of a matrix; an image and a recipe are named by the given paths.
std::string bench_command_line(const BenchmarkMatrix& matrix, const std::string& image_path,
                               const std::string& recipe_path);

// Writes a new directory. An existing one is unwritable_output.
Result<void> write_record(const Record& record, const std::filesystem::path& directory);

// `base`/YYYYMMDD-HHMMSS-<host>, with a suffix when taken.
std::filesystem::path new_record_directory(const std::filesystem::path& base);

struct Verification {
    std::vector<std::string> checked;   // what was found good
    std::vector<std::string> problems;  // each names the file and what is wrong; empty means accepted
};
// A record directory, or one record.json. bad_input when there is nothing to verify; problems are not errors.
Result<Verification> verify_record(const std::filesystem::path& path);

// Every key must be known, every value of its type and range.
Result<void> validate_against_schema(std::string_view json, std::string_view schema_name);

}  // namespace workbench
