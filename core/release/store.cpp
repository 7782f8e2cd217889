// SPDX-License-Identifier: MIT
#include "core/release/store.h"

#include <algorithm>
#include <system_error>

#include "core/benchmark/utc_time.h"
#include "core/release/release.h"
#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

Result<std::string> log_text(const fs::path& directory) {
    std::error_code error;
    const fs::path file = directory / "log.jsonl";
    const auto type = fs::symlink_status(file, error).type();
    if (type == fs::file_type::not_found)
        return fail(ErrorKind::bad_input, "there is no release in " + quoted(directory));
    if (type != fs::file_type::regular)
        return fail(ErrorKind::bad_input, "log.jsonl: it is not a plain file");
    return read_file(file, largest_log);
}

// What a killed process left: unfinished files, and evidence that no entry names.
void clear_leftovers(const fs::path& directory, const ReleaseState& state) {
    remove_leftovers(directory);
    std::vector<fs::path> orphans;
    std::error_code error;
    for (fs::directory_iterator entry(directory / "evidence", error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (state.find(utf8_path(entry->path().filename())) == nullptr) orphans.push_back(entry->path());
    }
    for (const auto& orphan : orphans) fs::remove_all(orphan, error);  // links are removed, not followed
}

}  // namespace

Result<std::vector<LogEntry>> load_log(const fs::path& directory) {
    const auto text = log_text(directory);
    if (!text) return std::unexpected(text.error());
    return parse_log(*text);
}

Result<ReleaseState> load_state(const fs::path& directory) {
    const auto log = load_log(directory);
    if (!log) return std::unexpected(log.error());
    return replay(*log);
}

Result<void> write_made_files(const fs::path& directory, const ReleaseState& state) {
    if (auto done = write_file_atomically(directory / "release.json", release_json(state)); !done)
        return done;
    const auto evaluation = evaluate_release(directory, state, state.changed_utc);
    return write_file_atomically(directory / "release.md", release_markdown(state, evaluation));
}

Result<Change> Change::begin(const fs::path& directory) {
    // Where there is no release, none is begun by locking it.
    if (auto text = log_text(directory); !text) return std::unexpected(text.error());
    auto lock = FileLock::acquire(directory / ".lock");
    if (!lock) return std::unexpected(lock.error());
    Change change(std::move(*lock), directory);
    auto text = log_text(directory);
    if (!text) return std::unexpected(text.error());
    auto log = parse_log(*text);
    if (!log) return std::unexpected(log.error());
    auto state = replay(*log);
    if (!state) return std::unexpected(state.error());
    change.m_text = std::move(*text);
    change.m_log = std::move(*log);
    change.m_state = std::move(*state);
    if (change.m_state.promoted_utc) {
        return fail(ErrorKind::check_failed, "the release \"" + change.m_state.id + "\" was promoted on " +
                                                 *change.m_state.promoted_utc + " and is closed");
    }
    clear_leftovers(directory, change.m_state);
    return change;
}

Result<void> Change::commit(const nlohmann::json& event) {
    m_text += log_line(m_log, utc_now(), event);
    auto log = parse_log(m_text);
    if (!log) return std::unexpected(log.error());
    auto state = replay(*log);
    if (!state) return std::unexpected(state.error());
    if (auto done = write_file_atomically(m_directory / "log.jsonl", m_text); !done) return done;
    m_log = std::move(*log);
    m_state = std::move(*state);
    return write_made_files(m_directory, m_state);
}

}  // namespace workbench
