// SPDX-License-Identifier: MIT
#include "core/evidence/history.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/benchmark/utc_time.h"
#include "core/evidence/sqlite.h"
#include "core/record/record.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/hex.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

// In the file's header, so that nothing else's database is taken for ours: "IIRH".
constexpr std::int64_t application_id = 0x49495248;
constexpr std::int64_t newest_version = 3;
constexpr std::size_t longest_note = 500;  // bytes

// Version 1. `seq` orders records of one second. The JSON is the record; the columns beside it are for lists.
constexpr const char* schema =
    "CREATE TABLE record (seq INTEGER PRIMARY KEY, record_id TEXT NOT NULL UNIQUE, added_utc TEXT NOT NULL,"
    " started_utc TEXT NOT NULL, host TEXT NOT NULL, device_id TEXT NOT NULL, device_name TEXT NOT NULL,"
    " version TEXT NOT NULL, commit_id TEXT NOT NULL, cases INTEGER NOT NULL, json TEXT NOT NULL) STRICT;"
    "CREATE TABLE timed (record INTEGER NOT NULL REFERENCES record (seq), key TEXT NOT NULL,"
    " PRIMARY KEY (key, record)) STRICT, WITHOUT ROWID;";
// What version 2 adds: what a person says of a record.
constexpr const char* notes_column = "ALTER TABLE record ADD COLUMN note TEXT NOT NULL DEFAULT '';";
// What version 3 adds: duels, and what each says of a case.
constexpr const char* duel_tables =
    "CREATE TABLE duel (seq INTEGER PRIMARY KEY, record_id TEXT NOT NULL UNIQUE, added_utc TEXT NOT NULL,"
    " started_utc TEXT NOT NULL, host TEXT NOT NULL, base_commit TEXT NOT NULL, now_commit TEXT NOT NULL,"
    " json TEXT NOT NULL, note TEXT NOT NULL) STRICT;"
    "CREATE TABLE change (duel INTEGER NOT NULL REFERENCES duel (seq), key TEXT NOT NULL, verdict TEXT NOT "
    "NULL,"
    " measured INTEGER NOT NULL, ratio REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,"
    " PRIMARY KEY (key, duel)) STRICT, WITHOUT ROWID;";

std::unexpected<Error> not_ours(const fs::path& file, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(file) + " is not a history of records: " + why);
}

// Returns the version of a database that is ours and known; 0: an empty database.
Result<std::int64_t> check_database(sqlite3* database, const fs::path& file) {
    // The tables first: another may make it ours meanwhile, tables and id at once.
    const auto tables = [&] {
        Query query(database, "SELECT count(*) FROM sqlite_schema");
        const auto row = query.step();
        return row && *row ? query.number(0) : -1;
    }();
    IIR2D_TRY(const auto id, number_of(database, "PRAGMA application_id"));
    IIR2D_TRY(const auto version, number_of(database, "PRAGMA user_version"));
    if (id == application_id) {
        if (version < 1 || version > newest_version)
            return not_ours(file, "its version is " + std::to_string(version) + ", and 1 to " +
                                      std::to_string(newest_version) + " are known here");
        return version;
    }
    if (id != 0 || tables != 0) return not_ours(file, "it is another program's database");
    return 0;
}

// Makes a history of an empty database and brings an older one to the newest version, in one transaction: of
// two that are the first, one does it and the other finds it done.
Result<void> make_or_migrate(sqlite3* database, const fs::path& file) {
    IIR2D_TRY(const auto seen, check_database(database, file));
    if (seen == newest_version) return {};
    Transaction transaction(database);
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    IIR2D_TRY(const auto version, check_database(database, file));
    if (version == newest_version) return {};
    const std::string steps = std::string(version == 0 ? schema : "") + (version < 2 ? notes_column : "") +
                              duel_tables + "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(newest_version) + ";";
    IIR2D_RETURN_IF_ERROR(execute(database, steps));
    return transaction.commit();
}

Result<void> check_note(std::string_view note) {
    if (note.size() > longest_note)
        return fail(ErrorKind::bad_argument, "the note has " + std::to_string(note.size()) +
                                                 " bytes: at most " + std::to_string(longest_note) +
                                                 " are kept");
    if (one_line(note) != note)
        return fail(ErrorKind::bad_argument,
                    "the note has characters that cannot be shown on one line: leave them out");
    return {};
}

Result<Database> open_history(const fs::path& file, int flags) {
    IIR2D_TRY(auto database, open_database("the history", file, flags));
    IIR2D_RETURN_IF_ERROR(execute(database.get(), "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"));
    return database;
}

// Returns the result of the case of that name; null: there is none.
const CaseResult* case_of(const Record& record, std::string_view key) {
    const auto found = std::ranges::find(record.run.results, key,
                                         [](const CaseResult& c) -> std::string_view { return c.what.key; });
    return found == record.run.results.end() ? nullptr : &*found;
}

std::optional<TrendPoint> point_of(const Record& record, std::string_view key, Metric metric) {
    const CaseResult* found = case_of(record, key);
    if (found == nullptr) return std::nullopt;
    const auto costs = costs_of(*found, metric);
    if (costs.empty()) return std::nullopt;
    const MetricFigures figures = figures_of_costs(costs, metric);
    return TrendPoint{.record_id = record.record_id,
                      .started_utc = record.run.started_utc,
                      .host = record.environment.host.value_or(""),
                      .device_name = record.run.device.name,
                      .commit = record.environment.commit.value_or(""),
                      .threads = record.run.threads,
                      .samples = costs.size(),
                      .p50 = figures.p50,
                      .p95 = figures.p95,
                      .p50_interval = figures.p50_interval,
                      .input_sha256 = found->input_sha256,
                      .output_sha256 = found->output_sha256};
}

}  // namespace

struct History::State {
    Database database{nullptr, sqlite3_close_v2};
    std::int64_t version = newest_version;
    sqlite3* get() const { return database.get(); }
    Result<Added> insert(const Record& record, const std::string& json, std::string_view note);
};

History::History(std::unique_ptr<State> state) : m_state(std::move(state)) {}
History::~History() = default;
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;

Result<History> History::open(const fs::path& file) {
    IIR2D_TRY(auto database, open_history(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    IIR2D_RETURN_IF_ERROR(make_or_migrate(database.get(), file));
    auto state = std::make_unique<State>();
    state->database = std::move(database);
    return History(std::move(state));
}

Result<History> History::open_to_read(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error))
        return fail(ErrorKind::bad_input, "there is no history " + quoted(file) + ": history add makes one");
    // A killed writer's journal can be rolled back only by who may write.
    auto database = open_history(file, SQLITE_OPEN_READWRITE);
    if (!database) return std::unexpected(fail(ErrorKind::bad_input, database.error().message).error());
    IIR2D_TRY(const auto version, check_database(database->get(), file));
    if (version == 0) return not_ours(file, "it is empty");
    IIR2D_RETURN_IF_ERROR(execute(database->get(), "PRAGMA query_only = ON"));
    auto state = std::make_unique<State>();
    state->database = std::move(*database);
    state->version = version;
    return History(std::move(state));
}

Result<History::Added> History::add(const fs::path& path, std::string_view note) {
    IIR2D_TRY(const auto verified, read_verified_record(path));
    return m_state->insert(verified.record, verified.text, note);
}

Result<History::Added> History::add(const Record& record, std::string_view note) {
    const std::string text = record_to_json(record);
    if (const auto problems = verify_record_text(text).problems; !problems.empty())
        return fail(ErrorKind::check_failed, "the record is not accepted: " + problems.front());
    IIR2D_TRY(const auto read, record_from_json(text));
    return m_state->insert(read, text, note);
}

Result<History::Added> History::State::insert(const Record& record, const std::string& json,
                                              std::string_view note) {
    IIR2D_RETURN_IF_ERROR(check_note(note));
    Transaction transaction(get());
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    Query insert(
        get(),
        "INSERT INTO record (record_id, added_utc, started_utc, host, device_id, device_name, version,"
        " commit_id, cases, json, note) VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (record_id) DO NOTHING");
    IIR2D_RETURN_IF_ERROR(insert.bind(record.record_id)
                              .bind(utc_now())
                              .bind(record.run.started_utc)
                              .bind(record.environment.host.value_or(""))
                              .bind(record.run.device.id)
                              .bind(record.run.device.name)
                              .bind(record.environment.version)
                              .bind(record.environment.commit.value_or(""))
                              .bind(static_cast<std::int64_t>(record.run.results.size()))
                              .bind(json)
                              .bind(note)
                              .run());
    if (sqlite3_changes(get()) == 0) {
        if (!note.empty()) {
            Query again(get(), "UPDATE record SET note = ? WHERE record_id = ?");
            IIR2D_RETURN_IF_ERROR(again.bind(note).bind(record.record_id).run());
            IIR2D_RETURN_IF_ERROR(transaction.commit());
        }
        return Added{record.record_id, false};
    }
    const std::int64_t seq = sqlite3_last_insert_rowid(get());
    for (const auto& c : record.run.results) {
        if (c.samples.empty()) continue;
        Query timed(get(), "INSERT INTO timed (record, key) VALUES (?,?)");
        IIR2D_RETURN_IF_ERROR(timed.bind(seq).bind(c.what.key).run());
    }
    IIR2D_RETURN_IF_ERROR(transaction.commit());
    return Added{record.record_id, true};
}

Result<History::Added> History::add_duel(const DuelEntry& duel, std::string_view json) {
    IIR2D_RETURN_IF_ERROR(check_note(duel.note));
    sqlite3* database = m_state->get();
    Transaction transaction(database);
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    Query insert(
        database,
        "INSERT INTO duel (record_id, added_utc, started_utc, host, base_commit, now_commit, json, note)"
        " VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (record_id) DO NOTHING");
    IIR2D_RETURN_IF_ERROR(insert.bind(duel.record_id)
                              .bind(utc_now())
                              .bind(duel.started_utc)
                              .bind(duel.host)
                              .bind(duel.base_commit)
                              .bind(duel.now_commit)
                              .bind(json)
                              .bind(duel.note)
                              .run());
    if (sqlite3_changes(database) == 0) return Added{duel.record_id, false};
    const std::int64_t seq = sqlite3_last_insert_rowid(database);
    for (const RelativeChange& c : duel.changes) {
        Query change(
            database,
            "INSERT INTO change (duel, key, verdict, measured, ratio, low, high) VALUES (?,?,?,?,?,?,?)");
        IIR2D_RETURN_IF_ERROR(change.bind(seq)
                                  .bind(c.key)
                                  .bind(c.verdict)
                                  .bind(std::int64_t{c.measured ? 1 : 0})
                                  .bind(c.ratio)
                                  .bind(c.interval.low)
                                  .bind(c.interval.high)
                                  .run());
    }
    IIR2D_RETURN_IF_ERROR(transaction.commit());
    return Added{duel.record_id, true};
}

Result<std::vector<DuelEntry>> History::duels(std::string_view key) const {
    std::vector<DuelEntry> duels;
    if (m_state->version < 3) return duels;  // one that is only read
    Query query(
        m_state->get(),
        "SELECT record_id, started_utc, host, base_commit, now_commit, note, key, verdict, measured, ratio,"
        " low, high FROM duel JOIN change ON change.duel = duel.seq WHERE ? = '' OR key = ?"
        " ORDER BY started_utc, seq, key");
    query.bind(key).bind(key);
    for (;;) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return duels;
        if (duels.empty() || duels.back().record_id != query.text(0)) {
            duels.push_back({.record_id = query.text(0),
                             .started_utc = query.text(1),
                             .host = query.text(2),
                             .base_commit = query.text(3),
                             .now_commit = query.text(4),
                             .note = query.text(5),
                             .changes = {}});
        }
        duels.back().changes.push_back({.key = query.text(6),
                                        .verdict = query.text(7),
                                        .measured = query.number(8) != 0,
                                        .ratio = query.real(9),
                                        .interval = {query.real(10), query.real(11)}});
    }
}

Result<std::string> History::set_note(std::string_view prefix, std::string_view note) {
    IIR2D_RETURN_IF_ERROR(check_note(note));
    IIR2D_TRY(const auto found, find(prefix));
    Query update(m_state->get(), "UPDATE record SET note = ? WHERE record_id = ?");
    IIR2D_RETURN_IF_ERROR(update.bind(note).bind(found.record_id).run());
    return found.record_id;
}

Result<std::vector<HistoryEntry>> History::list() const {
    // One of version 1 that is only read has no notes.
    Query query(m_state->get(),
                "SELECT record_id, added_utc, started_utc, host, device_id, device_name, version, commit_id,"
                " cases, " +
                    std::string(m_state->version == 1 ? "''" : "note") +
                    " FROM record ORDER BY started_utc, seq");
    std::vector<HistoryEntry> entries;
    for (;;) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return entries;
        entries.push_back({query.text(0), query.text(1), query.text(2), query.text(3), query.text(4),
                           query.text(5), query.text(6), query.text(7), query.number(8), query.text(9)});
    }
}

Result<std::string> History::record(std::string_view prefix) const {
    IIR2D_TRY(auto found, find(prefix));
    return std::move(found.json);
}

Result<std::string> History::duel(std::string_view prefix) const {
    if (m_state->version < 3)  // one that is only read
        return fail(ErrorKind::bad_argument, "no record's record_id starts with " + escaped(prefix));
    IIR2D_TRY(auto found, find(prefix, "duel"));
    return std::move(found.json);
}

Result<History::Found> History::find(std::string_view prefix, const char* table) const {
    if (prefix.size() < 4 || !is_hex(prefix)) {
        return fail(ErrorKind::bad_argument,
                    "\"" + escaped(prefix) + "\" names no record: give at least 4 digits of a record_id");
    }
    const std::string select =
        std::string("SELECT record_id, json FROM ") + table + " WHERE substr(record_id, 1, ?) = ? LIMIT 2";
    Query query(m_state->get(), select.c_str());
    query.bind(static_cast<std::int64_t>(prefix.size())).bind(prefix);
    IIR2D_TRY(const auto row, query.step());
    if (!row)
        return fail(ErrorKind::bad_argument, "no record's record_id starts with " + std::string(prefix));
    Found found{query.text(0), query.text(1)};
    IIR2D_TRY(const auto second, query.step());
    if (second) {
        return fail(ErrorKind::bad_argument,
                    "several records' record_id starts with " + std::string(prefix) + ": give more digits");
    }
    return found;
}

Result<std::string> History::previous(const Record& record) const {
    IIR2D_TRY(const auto entries, list());
    auto end = std::ranges::find(entries, record.record_id, &HistoryEntry::record_id);
    if (end == entries.end())
        end = std::ranges::upper_bound(entries, record.run.started_utc, {}, &HistoryEntry::started_utc);
    std::string on_another;  // device, where none is of this one
    for (auto entry = end; entry != entries.begin();) {
        --entry;
        const bool same_device = entry->device_name == record.run.device.name &&
                                 entry->host == record.environment.host.value_or("");
        if (!same_device && !on_another.empty()) continue;
        Query keys(m_state->get(),
                   "SELECT key FROM timed JOIN record ON timed.record = record.seq WHERE record_id = ?");
        keys.bind(entry->record_id);
        for (;;) {
            IIR2D_TRY(const auto row, keys.step());
            if (!row) break;
            if (case_of(record, keys.text(0)) == nullptr) continue;
            if (same_device) return entry->record_id;
            on_another = entry->record_id;
            break;
        }
    }
    if (!on_another.empty()) return on_another;
    return fail(ErrorKind::bad_input, "the history has no earlier record with one of these cases");
}

Result<std::vector<std::string>> History::keys() const {
    Query query(m_state->get(), "SELECT DISTINCT key FROM timed ORDER BY key");
    std::vector<std::string> keys;
    for (;;) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return keys;
        keys.push_back(query.text(0));
    }
}

Result<std::vector<TrendPoint>> History::trend(std::string_view key, Metric metric,
                                               std::string_view device) const {
    Query query(m_state->get(),
                "SELECT json FROM record JOIN timed ON timed.record = record.seq"
                " WHERE timed.key = ? AND (? = '' OR device_name = ? OR device_id = ?)"
                " ORDER BY started_utc, seq");
    query.bind(key).bind(device).bind(device).bind(device);
    std::vector<TrendPoint> points;
    for (;;) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) break;
        IIR2D_TRY(const auto record, record_from_json(query.text(0)));
        if (auto point = point_of(record, key, metric)) points.push_back(std::move(*point));
    }
    if (points.empty()) {
        return fail(ErrorKind::bad_argument, "no record in the history has timed the case \"" + escaped(key) +
                                                 "\"" +
                                                 (device.empty() ? "" : " on \"" + escaped(device) + "\"") +
                                                 ": history trend without a case lists them");
    }
    return points;
}

Result<std::vector<std::string>> History::check() const {
    std::vector<std::string> problems;
    {
        Query query(m_state->get(), "PRAGMA integrity_check(20)");
        for (;;) {
            IIR2D_TRY(const auto row, query.step());
            if (!row) break;
            if (query.text(0) != "ok") problems.push_back(escaped(query.text(0)));
        }
    }
    Query query(m_state->get(),
                "SELECT record_id, json, cases, (SELECT count(*) FROM timed WHERE record = seq) FROM record");
    for (;;) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return problems;
        const std::string name = "record " + escaped(short_id(query.text(0))) + ": ";
        const auto record = record_from_json(query.text(1));
        if (!record) {
            problems.push_back(name + record.error().message);
            continue;
        }
        if (record->record_id != query.text(0)) problems.push_back(name + "its JSON has another record_id");
        const auto timed =
            std::ranges::count_if(record->run.results, [](const auto& c) { return !c.samples.empty(); });
        if (timed != query.number(3) ||
            static_cast<std::int64_t>(record->run.results.size()) != query.number(2))
            problems.push_back(name + "its list of cases is not that of its JSON");
    }
}

fs::path default_history_file() {
    return config_directory() / "iir2d-history.sqlite";
}

}  // namespace workbench
