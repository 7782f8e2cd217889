// SPDX-License-Identifier: MIT
// Records of duels: measuring one, writing it whole, and adding it to a history.
#include <map>
#include <utility>

#include "core/duel/duel_record.h"
#include "core/record/record_directory.h"
#include "core/support/try.h"

namespace workbench {

Result<DuelRecord> measure_duel_record(const DuelSettings& settings, const LibraryFile& base,
                                       const LibraryFile& now, std::optional<double> max_regression,
                                       const TaskControl& control, const DuelEvents& events) {
    DuelRecord record;
    record.environment = capture_environment(settings.matrix.threads);
    record.max_regression = max_regression;
    IIR2D_TRY(record.duel, run_duel(settings, base, now, control, events));
    finish_environment(record.environment);
    record.environment.threads = record.duel.threads;
    record.command_line =
        duel_command_line(record.duel.settings, base.path.string(), now.path.string(), max_regression);
    // As a reader finds it.
    auto read = duel_record_from_json(duel_record_to_json(record));
    return read ? std::move(*read) : std::move(record);
}

Result<void> write_duel_record(const DuelRecord& record, const std::filesystem::path& directory,
                               const std::optional<SigningKey>& key) {
    const std::string json = duel_record_to_json(record);
    const auto read = duel_record_from_json(json);
    if (!read)
        return fail(
            ErrorKind::unwritable_output,
            "the record could not be written: no reader would take it, since it is " + read.error().message);
    std::map<std::string, std::string> files = {{"duel.json", json},
                                                {"duel.md", duel_record_to_markdown(*read)}};
    return write_record_directory(directory, std::move(files), key);
}

Result<History::Added> add_duel_to(History& history, const std::filesystem::path& path,
                                   std::string_view note) {
    IIR2D_TRY(const auto record, load_duel_record(path));
    return add_duel_to(history, record, note);
}

Result<History::Added> add_duel_to(History& history, const DuelRecord& record, std::string_view note) {
    DuelEntry entry{.record_id = record.record_id,
                    .started_utc = record.duel.started_utc,
                    .host = record.environment.host.value_or(""),
                    .base_commit = build_of(record.duel.base).commit,
                    .now_commit = build_of(record.duel.now).commit,
                    .note = std::string(note),
                    .changes = {}};
    for (const DuelCase& c : record.duel.cases) {
        const DuelLook* look = c.last();
        RelativeChange change{.key = c.what.key, .verdict = std::string(name_of(c.verdict)), .interval = {}};
        if (look != nullptr) {
            change.measured = true;
            change.ratio = look->effect.ratio;
            change.interval = look->effect.interval;
        }
        entry.changes.push_back(std::move(change));
    }
    return history.add_duel(entry, duel_record_to_json(record));
}

}  // namespace workbench
