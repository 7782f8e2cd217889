// SPDX-License-Identifier: MIT
#include "core/evidence/sqlite.h"

#include "core/support/escaped.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

std::unexpected<Error> sqlite_failure(sqlite3* database) {
    const int code = database != nullptr ? sqlite3_errcode(database) : SQLITE_NOMEM;
    const std::string words = database != nullptr ? escaped(sqlite3_errmsg(database)) : "out of memory";
    const char* name = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
    const std::string file = "the database " + quoted(name != nullptr ? name : "");
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return fail(ErrorKind::unwritable_output,
                        file + " is being written by another process: try again");
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
        case SQLITE_ERROR:
        case SQLITE_SCHEMA:
            return fail(ErrorKind::bad_input, file + " cannot be read: " + words);
        case SQLITE_NOMEM:
            return fail(ErrorKind::device_failure, "there is not enough memory for " + file);
        default:
            return fail(ErrorKind::unwritable_output, file + " could not be written: " + words);
    }
}

Query::Query(sqlite3* database, std::string_view sql)
    : m_database(database), m_statement(nullptr, sqlite3_finalize) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    m_statement.reset(statement);
}

Query& Query::bind(std::string_view text) {
    // Without an address it would be NULL.
    sqlite3_bind_text64(m_statement.get(), ++m_bound, text.empty() ? "" : text.data(), text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Query& Query::bind_null() {
    sqlite3_bind_null(m_statement.get(), ++m_bound);
    return *this;
}

Query& Query::bind(double number) {
    sqlite3_bind_double(m_statement.get(), ++m_bound, number);
    return *this;
}

Query& Query::bind(std::int64_t number) {
    sqlite3_bind_int64(m_statement.get(), ++m_bound, number);
    return *this;
}

Result<bool> Query::step() {
    if (!m_statement) return sqlite_failure(m_database);
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return sqlite_failure(m_database);
}

Result<void> Query::run() {
    for (;;) {
        IIR2D_TRY(const auto row, step());
        if (!row) return {};
    }
}

std::string Query::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement.get(), column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

double Query::real(int column) const {
    return sqlite3_column_double(m_statement.get(), column);
}

bool Query::is_null(int column) const {
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

std::int64_t Query::number(int column) const {
    return sqlite3_column_int64(m_statement.get(), column);
}

Result<Database> open_database(std::string_view what, const std::filesystem::path& file, int flags) {
    constexpr int wait_ms = 10'000;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(utf8_path(file).c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(raw, sqlite3_close_v2);
    if (code != SQLITE_OK)
        return fail(ErrorKind::unwritable_output,
                    std::string(what) + " " + quoted(file) + " could not be opened: " + sqlite3_errstr(code));
    sqlite3_busy_timeout(raw, wait_ms);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    return database;
}

Result<void> execute(sqlite3* database, const std::string& sql) {
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return sqlite_failure(database);
    return {};
}

Result<std::int64_t> number_of(sqlite3* database, std::string_view sql) {
    Query query(database, sql);
    IIR2D_TRY(const auto row, query.step());
    return row ? query.number(0) : 0;
}

Transaction::~Transaction() {
    if (m_open) sqlite3_exec(m_database, "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::begin() {
    auto done = execute(m_database, "BEGIN IMMEDIATE");
    m_open = done.has_value();
    return done;
}

Result<void> Transaction::commit() {
    auto done = execute(m_database, "COMMIT");
    if (done) m_open = false;
    return done;
}

}  // namespace workbench
