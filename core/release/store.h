// SPDX-License-Identifier: MIT
// A release's directory: one change at a time, each whole.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/release/entries.h"
#include "core/release/gates.h"
#include "core/release/release.h"
#include "core/release/state.h"
#include "core/support/file_lock.h"

namespace workbench {

inline constexpr std::size_t largest_log = std::size_t{1} << 24;
inline constexpr std::size_t largest_derived_file = std::size_t{1} << 24;

// Read the log. bad_input when there is no release, or its log is not as it was written.
Result<std::string> load_log_text(const std::filesystem::path& directory);
Result<std::vector<LogEntry>> load_log(const std::filesystem::path& directory);
Result<ReleaseState> load_state(const std::filesystem::path& directory);

// Returns the text of release.json or release.md, as of the state's last change; `evaluation` is
// evaluate_as_logged()'s.
std::string derived_file(std::string_view name, const ReleaseState& state, const Evaluation& evaluation);

// Writes release.json and release.md.
Result<void> write_derived_files(const std::filesystem::path& directory, const ReleaseState& state);

// Compares the text of release.json or release.md with what the log gives: a killed process may have left it
// as of the entry before the last.
enum class DerivedFile { current, behind, other };
DerivedFile judge_derived_file(const char* name, const std::string& text,
                               const std::filesystem::path& directory, const std::vector<LogEntry>& log,
                               const ReleaseState& state, const Evaluation& evaluation);

// Verifies as verify_release() does, before an entry is written: that the last one is dated ahead of the
// clock is no problem then, since the next one puts it right.
Result<ReleaseVerification> verify_before_change(const std::filesystem::path& directory,
                                                 const TaskControl& control);

// Holds the directory's lock until it ends. bad_input when something in the directory is not the plain file
// or folder that it should be; check_failed when the log is not the one that release.json names, or the
// release is promoted: it is closed.
class Change {
  public:
    static Result<Change> begin(const std::filesystem::path& directory);
    const ReleaseState& state() const { return m_state; }
    // Returns the time of the entry that commit() writes: when the change was begun.
    const EntryTime& time() const { return m_time; }
    // Clears away what a killed process left, writes the log with one more entry, then what is made from it.
    // Once.
    Result<void> commit(const nlohmann::json& event);

  private:
    Change(FileLock lock, std::filesystem::path directory)
        : m_lock(std::move(lock)), m_directory(std::move(directory)) {}
    Result<void> finish() const;
    FileLock m_lock;
    std::filesystem::path m_directory;
    std::string m_text;  // of the log
    std::vector<LogEntry> m_log;
    ReleaseState m_state;
    EntryTime m_time;
};

}  // namespace workbench
