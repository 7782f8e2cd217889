// SPDX-License-Identifier: MIT
#include "core/release/store.h"

#include <string_view>
#include <system_error>

#include "core/benchmark/utc_time.h"
#include "core/release/evidence_files.h"
#include "core/release/release.h"
#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

// Refuses links: nothing is written through one, nor removed behind one.
Result<void> check_layout(const fs::path& directory) {
    std::error_code error;
    if (fs::symlink_status(directory / "evidence", error).type() != fs::file_type::directory)
        return fail(ErrorKind::bad_input, "evidence: it is not a folder");
    for (const char* name : {"release.json", "release.md"}) {
        const auto type = fs::symlink_status(directory / name, error).type();
        if (type != fs::file_type::not_found && type != fs::file_type::regular)
            return fail(ErrorKind::bad_input, std::string(name) + ": it is not a plain file");
    }
    return {};
}

// Reads the log of a release that may be changed.
Result<std::string> changeable_log(const fs::path& directory) {
    IIR2D_TRY(auto text, load_log_text(directory));
    IIR2D_RETURN_IF_ERROR(check_layout(directory));
    return text;
}

// Checks that release.json is of the log's last entry or, after a kill, of the one before: a log that lost
// its end is not continued as if nothing were missing. Returns whether it is of the last.
Result<bool> check_head(const fs::path& directory, const std::vector<LogEntry>& log) {
    const auto wrong = [](const std::string& why) { return fail(ErrorKind::check_failed, why); };
    std::error_code error;
    if (!fs::exists(directory / "release.json", error))
        return wrong("release.json is missing: it names the last entry of log.jsonl");
    IIR2D_TRY(const auto text, read_file(directory / "release.json", largest_derived_file));
    const auto made = parse_json_strictly(text, record_json_limits);
    if (!made) return wrong("release.json: it " + made.error().message);
    const auto value = [&](const char* key) {
        return made->is_object() && made->contains(key) ? made->at(key) : nlohmann::json();
    };
    const auto entries = value("log_entries");
    const auto head = value("log_head");
    if (!entries.is_number_unsigned()) return wrong("release.json: it names no entry of log.jsonl");
    const auto count = entries.get<std::size_t>();
    if (count > log.size()) return wrong("log.jsonl ends before the entry that release.json names");
    if (count + 1 < log.size() || count == 0 || head != log[count - 1].hash)
        return wrong("log.jsonl is not the log that release.json was made from");
    return count == log.size();
}

// Removes what a killed process left unfinished.
void clear_leftovers(const fs::path& directory) {
    remove_leftovers(directory);
    remove_leftovers(directory / "evidence");
}

}  // namespace

std::string derived_file(std::string_view name, const ReleaseState& state, const Evaluation& evaluation) {
    return name == "release.json" ? release_json(state) : release_markdown(state, evaluation);
}

Result<std::string> load_log_text(const fs::path& directory) {
    std::error_code error;
    const fs::path file = directory / "log.jsonl";
    const auto type = fs::symlink_status(file, error).type();
    if (type == fs::file_type::not_found)
        return fail(ErrorKind::bad_input, "there is no release in " + quoted(directory));
    if (type != fs::file_type::regular)
        return fail(ErrorKind::bad_input, "log.jsonl: it is not a plain file");
    return read_file(file, largest_log);
}

Result<std::vector<LogEntry>> load_log(const fs::path& directory) {
    IIR2D_TRY(const auto text, load_log_text(directory));
    return parse_log(text);
}

Result<ReleaseState> load_state(const fs::path& directory) {
    IIR2D_TRY(const auto log, load_log(directory));
    return replay(log);
}

DerivedFile judge_derived_file(const char* name, const std::string& text, const fs::path& directory,
                               const std::vector<LogEntry>& log, const ReleaseState& state,
                               const Evaluation& evaluation) {
    if (text == derived_file(name, state, evaluation)) return DerivedFile::current;
    if (log.size() < 2) return DerivedFile::other;
    const auto earlier = replay(std::vector<LogEntry>(log.begin(), log.end() - 1));
    if (!earlier) return DerivedFile::other;
    return text == derived_file(name, *earlier, evaluate_as_logged(directory, *earlier)) ? DerivedFile::behind
                                                                                         : DerivedFile::other;
}

Result<void> write_derived_files(const fs::path& directory, const ReleaseState& state) {
    const auto evaluation = evaluate_as_logged(directory, state);
    // release.json last: where it is of the log's last entry, both are.
    for (const char* name : {"release.md", "release.json"}) {
        IIR2D_RETURN_IF_ERROR(write_file_atomically(directory / name, derived_file(name, state, evaluation)));
    }
    return {};
}

Result<Change> Change::begin(const fs::path& directory) {
    // Where there is no release, none is begun by locking it.
    IIR2D_RETURN_IF_ERROR(changeable_log(directory));
    IIR2D_TRY(auto lock, FileLock::acquire(directory / ".lock"));
    Change change(std::move(lock), directory);
    IIR2D_TRY(auto text, changeable_log(directory));
    IIR2D_TRY(auto log, parse_log(text));
    IIR2D_TRY(auto state, replay(log));
    IIR2D_TRY(const bool is_current, check_head(directory, log));
    IIR2D_RETURN_IF_ERROR(check_evidence_size(directory, state));
    change.m_time = time_after(log, utc_now());
    change.m_text = std::move(text);
    change.m_log = std::move(log);
    change.m_state = std::move(state);
    if (change.m_state.promoted_utc) {
        IIR2D_RETURN_IF_ERROR(change.finish());
        return fail(ErrorKind::check_failed, "the release \"" + change.m_state.id + "\" was promoted on " +
                                                 *change.m_state.promoted_utc + " and is closed");
    }
    // A second kill would leave them two entries behind, which is taken for another log's.
    if (!is_current) IIR2D_RETURN_IF_ERROR(write_derived_files(directory, change.m_state));
    return change;
}

// Puts right what a kill left behind a promotion, since no change follows one; only where the program could
// have written that promotion.
Result<void> Change::finish() const {
    const auto evaluation = evaluate_as_logged(m_directory, m_state);
    if (auto wrong = wrong_with_promotion(m_state, evaluation); !wrong.empty())
        return fail(ErrorKind::check_failed, wrong);
    for (const char* name : {"release.json", "release.md"}) {
        const auto text = read_file(m_directory / name, largest_derived_file);
        if (!text ||
            judge_derived_file(name, *text, m_directory, m_log, m_state, evaluation) != DerivedFile::behind)
            continue;
        IIR2D_RETURN_IF_ERROR(
            write_file_atomically(m_directory / name, derived_file(name, m_state, evaluation)));
    }
    clear_leftovers(m_directory);
    return {};
}

Result<void> Change::commit(const nlohmann::json& event) {
    m_text += log_line(m_log, m_time.clock, event);
    IIR2D_TRY(auto log, parse_log(m_text));
    IIR2D_TRY(auto state, replay(log));
    clear_leftovers(m_directory);
    IIR2D_RETURN_IF_ERROR(write_file_atomically(m_directory / "log.jsonl", m_text));
    m_log = std::move(log);
    m_state = std::move(state);
    return write_derived_files(m_directory, m_state);
}

}  // namespace workbench
