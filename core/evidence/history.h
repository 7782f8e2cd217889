// SPDX-License-Identifier: MIT
// Records over time: a database of those that were imported.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/statistics.h"
#include "core/evidence/compare.h"
#include "core/support/error.h"

namespace workbench {

struct HistoryEntry {
    std::string record_id;
    std::string added_utc;
    std::string started_utc;
    std::string host;  // empty where not known, as the texts below
    std::string device_id;
    std::string device_name;
    std::string version;
    std::string commit;
    std::int64_t cases = 0;
    std::string note;  // what a person says of it; empty: nothing
};

// One record's place in a trend.
struct TrendPoint {
    std::string record_id;
    std::string started_utc;
    std::string host;
    std::string device_name;
    std::string commit;
    int threads = 1;
    std::size_t samples = 0;
    double p50 = 0, p95 = 0;  // of the metric
    Interval p50_interval;
    std::string input_sha256;
    std::string output_sha256;
};

// How a duel says that one build's time is to another's, in one case.
struct RelativeChange {
    std::string key;
    std::string verdict;  // "SLOWER"
    bool measured = false;
    double ratio = 1;  // of the new build's time to the base's, where it was measured
    Interval interval;
};
// A duel in the history: a relative change, which is no point of a trend.
struct DuelEntry {
    std::string record_id;
    std::string started_utc;
    std::string host;  // empty where not known, as the commits
    std::string base_commit, now_commit;
    std::string note;
    std::vector<RelativeChange> changes;
};

// A SQLite database. Each change is one transaction, on disk when the call returns: a process that is killed
// leaves what was before it or after it. Several processes may use one database; a writer waits up to 10
// seconds for another. One object is for one thread at a time.
class History {
  public:
    // Made when it does not exist, in a folder that does; brought to the newest version when it is older.
    // bad_input: the file is no history, damaged, or of a newer version. unwritable_output: it cannot be
    // made.
    static Result<History> open(const std::filesystem::path& file);
    // Opens one that exists. Nothing is written but what a killed process left undone. bad_input where there
    // is none.
    static Result<History> open_to_read(const std::filesystem::path& file);

    ~History();
    History(History&&) noexcept;
    History& operator=(History&&) noexcept;

    // Verifies the record and keeps its whole JSON. Its record_id; `added` tells whether it was new.
    struct Added {
        std::string record_id;
        bool added = false;
    };
    // A note that is not empty replaces that of a record that was there. bad_argument: it has more than 500
    // bytes or more than one line.
    Result<Added> add(const std::filesystem::path& record, std::string_view note = {});
    // Adds one that was just measured and lies in no file.
    Result<Added> add(const Record& record, std::string_view note = {});
    // Sets the note of the record whose record_id starts with `prefix`; an empty one takes it away. Returns
    // its whole record_id.
    Result<std::string> set_note(std::string_view prefix, std::string_view note);

    // Keeps a duel and its record's JSON, both as the caller has verified them (core/duel does it).
    Result<Added> add_duel(const DuelEntry& duel, std::string_view json);
    // Oldest first; with the change of one case alone where `key` is not empty.
    Result<std::vector<DuelEntry>> duels(std::string_view key = {}) const;
    // Returns the JSON of the duel whose record_id starts with `prefix`; the errors of record().
    Result<std::string> duel(std::string_view prefix) const;

    // Oldest measurement first.
    Result<std::vector<HistoryEntry>> list() const;
    // Returns the JSON of the record whose record_id starts with `prefix`; bad_argument when none or several
    // do.
    Result<std::string> record(std::string_view prefix) const;
    // Returns the record_id of the newest record before `record` that has timed one of its cases: of the same
    // device and host where there is one. bad_input when there is none.
    Result<std::string> previous(const Record& record) const;
    // Returns the distinct keys of all timed cases.
    Result<std::vector<std::string>> keys() const;
    // Returns a case over time, oldest first; `device` alone where it is not empty. bad_argument when no
    // record has it.
    Result<std::vector<TrendPoint>> trend(std::string_view key, Metric metric, std::string_view device) const;
    // Returns what is wrong with the file: its structure, and records that are not what their record_id
    // names.
    Result<std::vector<std::string>> check() const;

  private:
    struct Found {
        std::string record_id;
        std::string json;
    };
    // Looks in `table`, which is `record` or `duel`.
    Result<Found> find(std::string_view prefix, const char* table = "record") const;

    struct State;
    explicit History(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

// `iir2d-history.sqlite` in config_directory().
std::filesystem::path default_history_file();

}  // namespace workbench
