// SPDX-License-Identifier: MIT
// Records of duels: duel.json is the master copy, duel.md a report, SHA256SUMS covers them, SHA256SUMS.sig
// signs it where there was a key. A directory appears whole or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/duel/duel.h"
#include "core/evidence/history.h"
#include "core/record/environment.h"
#include "core/record/record.h"
#include "core/support/error.h"
#include "core/support/signing.h"
#include "core/support/task.h"

namespace workbench {

inline constexpr int duel_schema_version = 2;

struct DuelRecord {
    Duel duel;
    Environment environment;
    std::string command_line;  // that measures it again
    // How much slower a case may be; absent: no case may be SLOWER.
    std::optional<double> max_regression;
    std::string record_id;  // SHA-256 of all of the above

    // Path that a record was read from; not in the file.
    std::string path;
    std::optional<PublicKey> signer;
};
using DuelRecordPtr = std::shared_ptr<const DuelRecord>;

// Runs a duel with the environment that it was run in. The errors and events of run_duel().
Result<DuelRecord> measure_duel_record(const DuelSettings& settings, const LibraryFile& base,
                                       const LibraryFile& now, std::optional<double> max_regression,
                                       const TaskControl& control = {}, const DuelEvents& events = {});

// Returns the `iir2d duel` command of settings.
std::string duel_command_line(const DuelSettings& settings, const std::string& base, const std::string& now,
                              std::optional<double> max_regression);

std::string duel_record_to_json(const DuelRecord& record);
std::string duel_record_to_markdown(const DuelRecord& record);
// Reads duel.json, from anyone. bad_input names what is wrong. Whether its verdicts follow from its pairs is
// for verify_duel_record().
Result<DuelRecord> duel_record_from_json(std::string_view text);

// Writes a new directory, signed when there is a key. An existing one is unwritable_output.
Result<void> write_duel_record(const DuelRecord& record, const std::filesystem::path& directory,
                               const std::optional<SigningKey>& key = std::nullopt);

// Returns whether a path is a duel's record by its name: a directory that has duel.json, or that file.
bool is_duel_record(const std::filesystem::path& path);

// Verifies a directory, or one duel.json, as verify_record() does others: every look and verdict is worked
// out again from the pairs.
Result<Verification> verify_duel_record(const std::filesystem::path& path, const TaskControl& control = {});
// Verifies and returns it; check_failed with the first problem when it is not accepted.
Result<DuelRecord> load_duel_record(const std::filesystem::path& path, const TaskControl& control = {});

// Verifies a duel's record and adds it to a history, as the relative change of each case.
Result<History::Added> add_duel_to(History& history, const std::filesystem::path& path,
                                   std::string_view note = {});
// Adds a duel that was just measured and lies in no file.
Result<History::Added> add_duel_to(History& history, const DuelRecord& record, std::string_view note = {});

// Lists what does not follow from the rest of a record; what was found until then when cancelled.
std::vector<std::string> inconsistencies(const DuelRecord& record, const TaskControl& control = {});

}  // namespace workbench
