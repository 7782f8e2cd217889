// SPDX-License-Identifier: MIT
// The little of SQLite that databases here need, with errors of ours.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

// Opens a file, with SQLite's `flags`, for one thread, defensive and waiting 10 s for other processes.
// unwritable_output where it cannot be opened, named as `what` it is: "the history".
Result<Database> open_database(std::string_view what, const std::filesystem::path& file, int flags);

// Executes statements without parameters or rows.
Result<void> execute(sqlite3* database, const std::string& sql);
// Returns the first column of the first row; 0 where there is none.
Result<std::int64_t> number_of(sqlite3* database, std::string_view sql);

// Rolls back unless it was committed.
class Transaction {
  public:
    explicit Transaction(sqlite3* database) : m_database(database) {}
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    Result<void> begin();
    Result<void> commit();

  private:
    sqlite3* m_database;
    bool m_open = false;
};

// A statement and its row. Texts are bound as copies.
class Query {
  public:
    Query(sqlite3* database, std::string_view sql);
    Query& bind(std::string_view text);
    Query& bind(std::int64_t number);
    Query& bind(double number);
    Query& bind_null();
    // True on a row, false at the end; an error otherwise.
    Result<bool> step();
    // Runs to the end, without rows.
    Result<void> run();
    std::string text(int column) const;  // empty for NULL
    bool is_null(int column) const;
    std::int64_t number(int column) const;
    double real(int column) const;

  private:
    sqlite3* m_database;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> m_statement;
    int m_bound = 0;
};

// SQLite's latest complaint as an error: unwritable_output where writing failed or another holds the file,
// bad_input where the file is wrong.
std::unexpected<Error> sqlite_failure(sqlite3* database);

}  // namespace workbench
