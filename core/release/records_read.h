// SPDX-License-Identifier: MIT
// The one place where a release reads records.
#pragma once

#include <filesystem>
#include <string>

#include "core/duel/duel_record.h"
#include "core/record/record.h"
#include "core/support/error.h"

namespace workbench {

// Reads and verifies the record in a directory whose evidence_hash() is `sha256`. bad_input when it is none
// or another one, check_failed when it is not accepted. The latest few are kept in this process: the same
// bytes are the same record, and every change of a release looks at all of them again. Thread-safe.
Result<RecordPtr> read_record(const std::filesystem::path& path, const std::string& sha256);

// Reads likewise the record of a duel.
Result<DuelRecordPtr> read_duel_record(const std::filesystem::path& path, const std::string& sha256);

}  // namespace workbench
