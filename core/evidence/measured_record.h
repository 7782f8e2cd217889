// SPDX-License-Identifier: MIT
// A record as what compares, reproduces and remembers records needs it: read, verified, and in numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/support/signing.h"

namespace workbench {

struct MeasuredCase {
    std::string key;
    std::int64_t width = 0, height = 0;
    std::string precision;  // empty where the operation has none
    std::optional<std::string> input_sha256;
    std::optional<std::string> output_sha256;
    bool parity_passed = false;
    std::string why_not_timed;  // empty: it was
    std::vector<double> samples_ms;
    std::vector<double> copy_samples_ms;  // of the same iterations
    std::size_t preempted = 0;            // of the samples
    std::string inconclusive;             // why the samples say nothing; empty: they do
    std::string throttled_by;  // what held a GPU's clocks back; empty: nothing, or nothing is known
};

struct MeasuredRecord {
    std::string path;
    std::string record_id;  // SHA-256 of the canonical JSON
    std::string started_utc;
    std::string host;  // empty where it is not known, as with the texts below
    std::string processor;
    std::string device_id;
    std::string device_name;
    std::string backend;  // "cpu" or "cuda"
    int threads = 1;
    std::string version;
    std::string commit;
    std::optional<bool> dirty;
    std::string library_sha256;
    std::string command_line;
    std::string protocol;             // empty: none
    std::string reproduces;           // a record_id; empty: nothing
    std::optional<PublicKey> signer;  // whose good signature it has
    bool cancelled = false;
    std::int64_t case_total = 0;
    std::vector<MeasuredCase> cases;
};

// Verifies the record at `path` (a directory or a record.json) and reads it. bad_input when there is none,
// check_failed with the first problem when it is not accepted.
Result<MeasuredRecord> load_measured_record(const std::filesystem::path& path);

// From what was verified already.
struct VerifiedRecord;  // core/record/verified_record.h
Result<MeasuredRecord> measured_record_of(const VerifiedRecord& verified);

// From the JSON of a record that fits its schema; nothing of its figures is checked. bad_input otherwise.
Result<MeasuredRecord> measured_record_from_json(std::string_view json);

// The first 12 digits, which name a record in tables.
std::string short_id(const std::string& hash);

}  // namespace workbench
