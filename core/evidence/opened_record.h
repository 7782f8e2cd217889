// SPDX-License-Identifier: MIT
// A record that is looked at: verified, with everything that was measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/evidence/measured_record.h"
#include "core/record/record.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

struct OpenedRecord {
    std::string json;  // the record's, as it lies in its file
    MeasuredRecord measured;
    std::vector<CaseResult> results;
    std::string image;  // the path of the image it was measured on; empty: synthetic planes
};

// Verifies and reads the record at `path` (a directory or a record.json). bad_input when there is none,
// check_failed with the first problem when it is not accepted, cancelled when control.stop asked.
Result<OpenedRecord> open_record(const std::filesystem::path& path, const TaskControl& control = {});

// One that was just measured and lies in no file: `measured.path` is empty.
Result<OpenedRecord> opened_record_of(const Record& record);
// The JSON of a record that was verified before, as a history keeps it; bad_input when it fits no schema.
Result<OpenedRecord> opened_record_from_json(std::string text);

// Whether this machine is the one it was measured on: host and processor are known and the same.
bool is_of_this_machine(const MeasuredRecord& record);

}  // namespace workbench
