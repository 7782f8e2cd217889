// SPDX-License-Identifier: MIT
// The little of SQLite that databases here need, with errors of ours.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

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
    // To the end, without rows.
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
