// SPDX-License-Identifier: MIT
// Benchmark records: record.json is the master copy, record.csv has one row a case, record.md is a report,
// statement.json attests it to supply-chain tools, SHA256SUMS covers them all, SHA256SUMS.sig signs it where
// there was a key. A record directory appears whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/record/environment.h"
#include "core/support/error.h"
#include "core/support/signing.h"
#include "core/support/task.h"

namespace workbench {

inline constexpr int record_schema_version = 1;
inline constexpr const char* seal_name = "content_sha256";  // the record_id, in the record itself

struct Record {
    BenchmarkRun run;
    Environment environment;
    std::string command_line;  // that reproduces it
    std::string reproduces;    // the record_id of what this measured again; empty: nothing
    // The SHA-256 of all of the above. measure_record() and readers fill it in; a writer computes it anew.
    std::string record_id;

    // Of one that was read, and in no file: where it lies, and whose good signature it has.
    std::string path;
    std::optional<PublicKey> signer;
};
// Shared by all that look at it: its samples are large.
using RecordPtr = std::shared_ptr<const Record>;

// Writes record.json. `record_id` is computed and not taken from the record.
std::string record_to_json(const Record& record);
std::string record_id_of(const Record& record);
// Reads record.json, from anyone. bad_input names what is wrong: the JSON, a member, or that a value was
// changed after the record was written. Whether its figures follow from each other is for verify_record().
Result<Record> record_from_json(std::string_view text);

// Write one row a case; a report for a person.
std::string record_to_csv(const Record& record);
std::string record_to_markdown(const Record& record);

// Charts of a record, each a file of its own in the record's directory.
enum class RecordChart { latency, ratio_to_copy };
std::string_view file_name_of(RecordChart chart);  // "latency.svg", "ratio.svg"
// Returns a whole SVG 1.1 document, one row a case, at most 200 of them.
std::string record_to_svg(const Record& record, RecordChart chart);

// Measures a matrix on the calling thread: environment, run and the command line that runs it again, in which
// an image and a recipe are named by the given paths. The errors and `on_result` of run_benchmark().
Result<Record> measure_record(const BenchmarkMatrix& matrix, const std::string& image_path,
                              const std::string& recipe_path, const TaskControl& control = {},
                              const std::function<void(const CaseResult&)>& on_result = {});

// Returns the `iir2d bench` command of a matrix; an image and a recipe are named by the given paths.
std::string bench_command_line(const BenchmarkMatrix& matrix, const std::string& image_path,
                               const std::string& recipe_path);

// Writes a new directory, signed when there is a key. An existing one is unwritable_output.
Result<void> write_record(const Record& record, const std::filesystem::path& directory,
                          const std::optional<SigningKey>& key = std::nullopt);

// Returns `base`/YYYYMMDD-HHMMSS-<host>, with a suffix when taken.
std::filesystem::path new_record_directory(const std::filesystem::path& base);

struct Verification {
    std::vector<std::string> checked;   // what was found good
    std::vector<std::string> problems;  // each names the file and what is wrong; empty means accepted
    std::size_t more_problems = 0;      // that were found beyond the first 200, which are listed
    std::vector<std::string> notes;     // what an acceptance does not cover; none for a directory
    std::string record_id;              // empty when there is no JSON to take it of
    std::optional<PublicKey> signer;    // whose signature the record has; absent without a good one
};
// Verifies a record directory, or one record.json. bad_input when there is nothing to verify; problems are
// not errors. Every sentence is one line of UTF-8 without control characters, whatever the files hold.
Result<Verification> verify_record(const std::filesystem::path& path);

// Verifies the text of a lone record.json.
Verification verify_record_text(std::string_view json);

// Verifies the record at `path` (a directory or a record.json) and returns what was verified, so that nothing
// of it has to be read again, when it may be another. bad_input when there is none, check_failed with the
// first problem when it is not accepted, cancelled when control.stop asked.
struct VerifiedRecord {
    Record record;
    std::string text;  // record.json, byte for byte
};
Result<VerifiedRecord> read_verified_record(const std::filesystem::path& path,
                                            const TaskControl& control = {});

// Returns the same without the text.
Result<Record> load_record(const std::filesystem::path& path, const TaskControl& control = {});

// Returns the first 12 digits of a hash, which name a record in tables.
std::string short_id(const std::string& hash);

// Returns whether this machine is the one it was measured on: host and processor are known and the same.
bool is_of_this_machine(const Record& record);

}  // namespace workbench
