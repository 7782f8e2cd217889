// SPDX-License-Identifier: MIT
// What a record attests, in the form that supply-chain tools read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

inline constexpr std::string_view statement_name = "statement.json";

// The first named its types without a URI's scheme, which SLSA asks for.
enum class StatementForm { first, current };

// An in-toto Statement (v1) with a SLSA provenance predicate (v1): its subjects are the record's files by
// their SHA-256 (`digests`: name to hex), its parameters the command line and matrix, its dependencies the
// library, the source commit, the input image. Follows from its arguments alone. bad_input when `record_json`
// is no record.
Result<std::string> record_statement(std::string_view record_json,
                                     const std::map<std::string, std::string>& digests,
                                     StatementForm form = StatementForm::current);

}  // namespace workbench
