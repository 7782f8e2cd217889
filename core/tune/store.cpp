// SPDX-License-Identifier: MIT
#include "core/tune/store.h"

#include <cmath>
#include <system_error>
#include <utility>

#include "core/evidence/sqlite.h"
#include "core/support/files.h"
#include "core/support/package.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench::tune {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t application_id = 0x49495254;  // "IIRT"
constexpr std::int64_t newest_version = 1;
constexpr double contended_above = 1.15;  // times the least ratio of the machine

constexpr const char* schema =
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) STRICT;"
    "CREATE TABLE machine (id TEXT PRIMARY KEY, json TEXT) STRICT;"
    "CREATE TABLE build (id TEXT PRIMARY KEY, json TEXT) STRICT;"
    "CREATE TABLE problem (id INTEGER PRIMARY KEY, spec TEXT UNIQUE, key TEXT, purpose TEXT, family TEXT,"
    " set_name TEXT, source TEXT) STRICT;"
    "CREATE TABLE config (id INTEGER PRIMARY KEY, text TEXT UNIQUE) STRICT;"
    "CREATE TABLE visit (id INTEGER PRIMARY KEY, problem INTEGER, machine TEXT, build TEXT, started_utc TEXT,"
    " seed INTEGER, rounds INTEGER, parallel_ratio REAL, load1 REAL, state TEXT, input_sha256 TEXT,"
    " output_sha256 TEXT) STRICT;"
    "CREATE TABLE measurement (visit INTEGER, config INTEGER, status TEXT, reason TEXT, samples INTEGER,"
    " marked INTEGER, op_ms_min REAL, op_ms_p50 REAL, op_ms_mad REAL, use_ms_p50 REAL, ln_op REAL, ln_use "
    "REAL,"
    " ln_low REAL, ln_high REAL, PRIMARY KEY (visit, config)) STRICT;"
    "CREATE TABLE sample (visit INTEGER, config INTEGER, round INTEGER, calls INTEGER, op_ms REAL, use_ms "
    "REAL,"
    " marked INTEGER, PRIMARY KEY (visit, config, round)) STRICT;"
    "CREATE INDEX visits_of_problem ON visit (problem);";

std::unexpected<Error> not_ours(const fs::path& file, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(file) + " is not a database of measurements: " + why);
}
std::unexpected<Error> damaged(const std::string& what) {
    return fail(ErrorKind::bad_input, "the database is damaged: " + what);
}

// Returns whether the database is ours; false: it is empty.
Result<bool> check_database(sqlite3* database, const fs::path& file) {
    IIR2D_TRY(const auto tables, number_of(database, "SELECT count(*) FROM sqlite_schema"));
    IIR2D_TRY(const auto id, number_of(database, "PRAGMA application_id"));
    IIR2D_TRY(const auto version, number_of(database, "PRAGMA user_version"));
    if (id != application_id) {
        if (id != 0 || tables != 0) return not_ours(file, "it is another program's database");
        return false;
    }
    if (version != newest_version)
        return not_ours(file, "its version is " + std::to_string(version) + ", and " +
                                  std::to_string(newest_version) + " is known here");
    Query query(database, "PRAGMA quick_check(1)");
    IIR2D_TRY(const auto row, query.step());
    if (!row || query.text(0) != "ok") return not_ours(file, "it is damaged");
    return true;
}

// Of two that are the first, one makes it and the other finds it made.
Result<void> make_or_check(sqlite3* database, const fs::path& file) {
    IIR2D_TRY(const bool is_there, check_database(database, file));
    if (is_there) return {};
    Transaction transaction(database);
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    IIR2D_TRY(const bool is_there_now, check_database(database, file));
    if (is_there_now) return {};
    IIR2D_RETURN_IF_ERROR(execute(database, std::string(schema) +
                                                "PRAGMA application_id = " + std::to_string(application_id) +
                                                "; PRAGMA user_version = " + std::to_string(newest_version)));
    Query made_by(database, "INSERT INTO meta (key, value) VALUES ('made_by', ?)");
    IIR2D_RETURN_IF_ERROR(made_by.bind("iir2d " + library_version()).run());
    return transaction.commit();
}

Query& bind_figures(Query& query, const std::optional<Figures>& figures) {
    for (const auto figure :
         {&Figures::op_ms_min, &Figures::op_ms_p50, &Figures::op_ms_mad, &Figures::use_ms_p50,
          &Figures::ln_op, &Figures::ln_use, &Figures::ln_low, &Figures::ln_high}) {
        if (figures) {
            query.bind((*figures).*figure);
        } else {
            query.bind_null();
        }
    }
    return query;
}

Result<std::int64_t> config_number(sqlite3* database, const std::string& text) {
    Query insert(database, "INSERT INTO config (text) VALUES (?) ON CONFLICT (text) DO NOTHING");
    IIR2D_RETURN_IF_ERROR(insert.bind(text).run());
    Query find(database, "SELECT id FROM config WHERE text = ?");
    find.bind(text);
    IIR2D_RETURN_IF_ERROR(find.step());
    return find.number(0);
}

Result<void> insert_measurement(sqlite3* database, std::int64_t visit, const Measurement& one) {
    IIR2D_TRY(const auto config, config_number(database, one.config));
    Query insert(database,
                 "INSERT INTO measurement (visit, config, status, reason, samples, marked, op_ms_min,"
                 " op_ms_p50, op_ms_mad, use_ms_p50, ln_op, ln_use, ln_low, ln_high)"
                 " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    insert.bind(visit).bind(config).bind(name_of(one.status));
    one.reason.empty() ? insert.bind_null() : insert.bind(one.reason);
    insert.bind(static_cast<std::int64_t>(one.samples.size())).bind(static_cast<std::int64_t>(one.marked()));
    IIR2D_RETURN_IF_ERROR(bind_figures(insert, one.figures).run());
    for (const Sample& sample : one.samples) {
        Query add(database,
                  "INSERT INTO sample (visit, config, round, calls, op_ms, use_ms, marked)"
                  " VALUES (?,?,?,?,?,?,?)");
        IIR2D_RETURN_IF_ERROR(add.bind(visit)
                                  .bind(config)
                                  .bind(std::int64_t{sample.round})
                                  .bind(std::int64_t{sample.calls})
                                  .bind(sample.op_ms)
                                  .bind(sample.use_ms)
                                  .bind(std::int64_t{sample.marked ? 1 : 0})
                                  .run());
    }
    return {};
}

Result<void> insert_visit(sqlite3* database, std::int64_t problem, const Visit& visit) {
    Query insert(
        database,
        "INSERT INTO visit (problem, machine, build, started_utc, seed, rounds, parallel_ratio, load1,"
        " state, input_sha256, output_sha256) VALUES (?,?,?,?,?,?,?,?,?,?,?)");
    insert.bind(problem).bind(visit.machine).bind(visit.build).bind(visit.started_utc);
    insert.bind(static_cast<std::int64_t>(visit.seed)).bind(std::int64_t{visit.rounds});
    insert.bind(visit.parallel_ratio);
    visit.load1 ? insert.bind(*visit.load1) : insert.bind_null();
    IIR2D_RETURN_IF_ERROR(
        insert.bind(name_of(visit.state)).bind(visit.input_sha256).bind(visit.output_sha256).run());
    const std::int64_t number = sqlite3_last_insert_rowid(database);
    for (const Measurement& one : visit.measurements)
        IIR2D_RETURN_IF_ERROR(insert_measurement(database, number, one));
    return {};
}

Result<std::int64_t> insert_problem(sqlite3* database, const MeasuredProblem& problem) {
    Query insert(database,
                 "INSERT INTO problem (spec, key, purpose, family, set_name, source) VALUES (?,?,?,?,?,?)");
    IIR2D_RETURN_IF_ERROR(insert.bind(problem.spec)
                              .bind(problem.key)
                              .bind(problem.purpose)
                              .bind(problem.family)
                              .bind(problem.set)
                              .bind(problem.source)
                              .run());
    return sqlite3_last_insert_rowid(database);
}

Result<void> insert_identity(sqlite3* database, const char* table, const Identity& one) {
    Query insert(database, std::string("INSERT INTO ") + table +
                               " (id, json) VALUES (?,?) ON CONFLICT (id) DO NOTHING");
    return insert.bind(one.id).bind(one.json).run();
}

Result<std::vector<Identity>> identities(sqlite3* database, const char* table) {
    Query query(database, std::string("SELECT id, json FROM ") + table + " ORDER BY id");
    std::vector<Identity> all;
    while (true) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return all;
        all.push_back({query.text(0), query.text(1)});
    }
}

bool is_time(double value) {
    return std::isfinite(value) && value > 0;
}

// Reads rows in the order of their visit, so that what is of one visit is read at once.
class Reader {
  public:
    explicit Reader(sqlite3* database)
        : m_visits(database,
                   "SELECT id, machine, build, started_utc, seed, rounds, parallel_ratio, load1, state,"
                   " input_sha256, output_sha256 FROM visit WHERE problem = ? ORDER BY id"),
          m_database(database) {}

    Result<std::vector<Visit>> visits_of(std::int64_t problem) {
        std::vector<Visit> visits;
        m_visits.bind(problem);
        while (true) {
            IIR2D_TRY(const auto row, m_visits.step());
            if (!row) return visits;
            IIR2D_TRY(auto one, visit());
            visits.push_back(std::move(one));
        }
    }

  private:
    Result<Visit> visit() {
        Visit one{.machine = m_visits.text(1),
                  .build = m_visits.text(2),
                  .started_utc = m_visits.text(3),
                  .seed = static_cast<std::uint64_t>(m_visits.number(4)),
                  .rounds = static_cast<int>(m_visits.number(5)),
                  .parallel_ratio = m_visits.real(6),
                  .load1 = {},
                  .state = VisitState::ok,
                  .input_sha256 = m_visits.text(9),
                  .output_sha256 = m_visits.text(10),
                  .measurements = {}};
        if (!m_visits.is_null(7)) one.load1 = m_visits.real(7);
        const auto state = visit_state_from_name(m_visits.text(8));
        if (!state || !is_time(one.parallel_ratio)) return damaged("a visit has no state or no ratio");
        one.state = *state;
        IIR2D_RETURN_IF_ERROR(measurements(m_visits.number(0), one));
        return one;
    }

    Result<void> measurements(std::int64_t visit, Visit& into) {
        Query query(m_database,
                    "SELECT config, text, status, reason, op_ms_min, op_ms_p50, op_ms_mad, use_ms_p50, ln_op,"
                    " ln_use, ln_low, ln_high FROM measurement JOIN config ON config.id = measurement.config"
                    " WHERE visit = ? ORDER BY text");
        query.bind(visit);
        while (true) {
            IIR2D_TRY(const auto row, query.step());
            if (!row) return {};
            Measurement one{.config = query.text(1), .reason = query.text(3)};
            const auto status = status_from_name(query.text(2));
            if (!status) return damaged("a measurement has no status");
            one.status = *status;
            IIR2D_TRY(one.figures, figures(query));
            IIR2D_TRY(one.samples, samples(visit, query.number(0)));
            if (!one.samples.empty() && !one.figures)
                return damaged("a measurement has samples and no figures");
            into.measurements.push_back(std::move(one));
        }
    }

    // Of columns 4 to 11: all are there, or none.
    static Result<std::optional<Figures>> figures(const Query& query) {
        constexpr int first = 4;
        constexpr int count = 8;
        int missing = 0;
        bool all_finite = true;
        for (int column = first; column < first + count; ++column) {
            missing += query.is_null(column) ? 1 : 0;
            all_finite = all_finite && std::isfinite(query.real(column));
        }
        if (missing == count) return std::optional<Figures>();
        const Figures read{query.real(4), query.real(5), query.real(6),  query.real(7),
                           query.real(8), query.real(9), query.real(10), query.real(11)};
        if (missing > 0 || !all_finite || !is_time(read.op_ms_min) || !is_time(read.op_ms_p50) ||
            !is_time(read.use_ms_p50))
            return damaged("a figure is not a number, or not a time");
        return std::optional(read);
    }

    Result<std::vector<Sample>> samples(std::int64_t visit, std::int64_t config) {
        Query query(m_database,
                    "SELECT round, calls, op_ms, use_ms, marked FROM sample WHERE visit = ? AND config = ?"
                    " ORDER BY round");
        query.bind(visit).bind(config);
        std::vector<Sample> all;
        while (true) {
            IIR2D_TRY(const auto row, query.step());
            if (!row) return all;
            all.push_back({.round = static_cast<int>(query.number(0)),
                           .calls = static_cast<int>(query.number(1)),
                           .op_ms = query.real(2),
                           .use_ms = query.real(3),
                           .marked = query.number(4) != 0});
            if (!is_time(all.back().op_ms) || !is_time(all.back().use_ms))
                return damaged("a sample is not a time");
        }
    }

    Query m_visits;
    sqlite3* m_database;
};

}  // namespace

struct Store::State {
    Database database{nullptr, sqlite3_close_v2};
    sqlite3* get() const { return database.get(); }
};

Store::Store(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Result<Store> Store::open(const fs::path& file) {
    IIR2D_TRY(auto database, open_database("the database", file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    IIR2D_RETURN_IF_ERROR(execute(database.get(), "PRAGMA synchronous = FULL"));
    IIR2D_RETURN_IF_ERROR(make_or_check(database.get(), file));
    auto state = std::make_unique<State>();
    state->database = std::move(database);
    return Store(std::move(state));
}

Result<Store> Store::open_to_read(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        return fail(ErrorKind::bad_input,
                    "there is no database " + quoted(file) + ": tune collect makes one");
    // A killed writer's journal can be rolled back only by who may write.
    auto database = open_database("the database", file, SQLITE_OPEN_READWRITE);
    if (!database) return fail(ErrorKind::bad_input, database.error().message);
    IIR2D_TRY(const bool is_ours, check_database(database->get(), file));
    if (!is_ours) return not_ours(file, "it is empty");
    auto state = std::make_unique<State>();
    state->database = std::move(*database);
    return Store(std::move(state));
}

Result<std::int64_t> Store::add(const NamedProblem& problem, ProblemSet set) {
    sqlite3* const database = m_state->get();
    Query other(database, "SELECT spec FROM problem WHERE key = ? AND set_name <> ?");
    other.bind(problem.key).bind(name_of(set));
    IIR2D_TRY(const auto is_in_both, other.step());
    if (is_in_both)
        return fail(ErrorKind::check_failed, "the key of \"" + problem.spec +
                                                 "\" is in the other set already, by \"" + other.text(0) +
                                                 "\": what is judged by must not be learned from");
    Query find(database, "SELECT id FROM problem WHERE spec = ?");
    find.bind(problem.spec);
    IIR2D_TRY(const auto is_there, find.step());
    if (is_there) return find.number(0);
    return insert_problem(database,
                          {.spec = problem.spec,
                           .key = problem.key,
                           .purpose = std::string(purpose_of(problem.problem, backend_of(problem.key))),
                           .family = family_of(problem.problem, backend_of(problem.key)),
                           .set = std::string(name_of(set)),
                           .source = problem.source,
                           .visits = {}});
}

Result<std::vector<std::int64_t>> Store::add(const std::vector<NamedProblem>& problems, ProblemSet set,
                                             const Identity& machine, const Identity& build) {
    Transaction transaction(m_state->get());
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    IIR2D_RETURN_IF_ERROR(insert_identity(m_state->get(), "machine", machine));
    IIR2D_RETURN_IF_ERROR(insert_identity(m_state->get(), "build", build));
    std::vector<std::int64_t> numbers;
    for (const NamedProblem& problem : problems) {
        IIR2D_TRY(const auto number, add(problem, set));
        numbers.push_back(number);
    }
    IIR2D_RETURN_IF_ERROR(transaction.commit());
    return numbers;
}

Result<std::map<std::string, int>> Store::counts(std::int64_t problem, std::string_view machine,
                                                 std::string_view build) const {
    Query query(m_state->get(),
                "SELECT text, count(*) FROM visit JOIN measurement ON measurement.visit = visit.id"
                " JOIN config ON config.id = measurement.config"
                " WHERE problem = ? AND machine = ? AND build = ? GROUP BY text");
    query.bind(problem).bind(machine).bind(build);
    std::map<std::string, int> all;
    while (true) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return all;
        all.emplace(query.text(0), static_cast<int>(query.number(1)));
    }
}

Result<bool> Store::is_proved(std::int64_t problem, std::string_view build, std::string_view input_sha256,
                              std::string_view output_sha256) const {
    Query query(m_state->get(),
                "SELECT 1 FROM visit WHERE problem = ? AND build = ? AND input_sha256 = ?"
                " AND output_sha256 = ? AND state <> 'wrong' LIMIT 1");
    return query.bind(problem).bind(build).bind(input_sha256).bind(output_sha256).step();
}

Result<std::vector<std::string>> Store::wrong_results(std::int64_t problem, std::string_view machine,
                                                      std::string_view build) const {
    Query query(m_state->get(),
                "SELECT DISTINCT text || ': ' || reason FROM visit JOIN measurement ON"
                " measurement.visit = visit.id JOIN config ON config.id = measurement.config"
                " WHERE problem = ? AND machine = ? AND build = ? AND status = 'wrong' ORDER BY 1");
    query.bind(problem).bind(machine).bind(build);
    std::vector<std::string> all;
    while (true) {
        IIR2D_TRY(const auto row, query.step());
        if (!row) return all;
        all.push_back(query.text(0));
    }
}

Result<void> Store::add(std::int64_t problem, Visit& visit) {
    sqlite3* const database = m_state->get();
    Transaction transaction(database);
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    Query least(database, "SELECT min(parallel_ratio), count(*) FROM visit WHERE machine = ?");
    least.bind(visit.machine);
    IIR2D_RETURN_IF_ERROR(least.step());
    const double best =
        least.number(1) == 0 ? visit.parallel_ratio : std::min(visit.parallel_ratio, least.real(0));
    const double most = contended_above * best;
    if (visit.parallel_ratio > most && visit.state != VisitState::wrong) visit.state = VisitState::contended;
    IIR2D_RETURN_IF_ERROR(insert_visit(database, problem, visit));
    Query others(database,
                 "UPDATE visit SET state = 'contended' WHERE machine = ? AND parallel_ratio > ?"
                 " AND state IN ('ok', 'unstable')");
    IIR2D_RETURN_IF_ERROR(others.bind(visit.machine).bind(most).run());
    return transaction.commit();
}

Result<Measurements> Store::read_all() const {
    sqlite3* const database = m_state->get();
    Measurements all;
    Query meta(database, "SELECT key, value FROM meta ORDER BY key");
    while (true) {
        IIR2D_TRY(const auto row, meta.step());
        if (!row) break;
        all.meta.emplace_back(meta.text(0), meta.text(1));
    }
    IIR2D_TRY(all.machines, identities(database, "machine"));
    IIR2D_TRY(all.builds, identities(database, "build"));
    Query problems(database,
                   "SELECT id, spec, key, purpose, family, set_name, source FROM problem ORDER BY id");
    while (true) {
        IIR2D_TRY(const auto row, problems.step());
        if (!row) return all;
        MeasuredProblem one{.spec = problems.text(1),
                            .key = problems.text(2),
                            .purpose = problems.text(3),
                            .family = problems.text(4),
                            .set = problems.text(5),
                            .source = problems.text(6),
                            .visits = {}};
        Reader reader(database);
        IIR2D_TRY(one.visits, reader.visits_of(problems.number(0)));
        all.problems.push_back(std::move(one));
    }
}

Result<bool> Store::is_empty() const {
    IIR2D_TRY(const auto problems, number_of(m_state->get(), "SELECT count(*) FROM problem"));
    return problems == 0;
}

Result<void> Store::write_all(const Measurements& all) {
    sqlite3* const database = m_state->get();
    Transaction transaction(database);
    IIR2D_RETURN_IF_ERROR(transaction.begin());
    IIR2D_RETURN_IF_ERROR(execute(database, "DELETE FROM meta"));
    for (const auto& [key, value] : all.meta) {
        Query insert(database, "INSERT INTO meta (key, value) VALUES (?,?)");
        IIR2D_RETURN_IF_ERROR(insert.bind(key).bind(value).run());
    }
    for (const Identity& one : all.machines) IIR2D_RETURN_IF_ERROR(insert_identity(database, "machine", one));
    for (const Identity& one : all.builds) IIR2D_RETURN_IF_ERROR(insert_identity(database, "build", one));
    for (const MeasuredProblem& problem : all.problems) {
        IIR2D_TRY(const auto number, insert_problem(database, problem));
        for (const Visit& visit : problem.visits)
            IIR2D_RETURN_IF_ERROR(insert_visit(database, number, visit));
    }
    return transaction.commit();
}

}  // namespace workbench::tune
