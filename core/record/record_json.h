// SPDX-License-Identifier: MIT
// A record's JSON text as a value whose shape can be relied on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

// parse_json_strictly() within the limits of records. bad_input begins "the JSON ...".
Result<nlohmann::json> parse_strictly(std::string_view text);

// Parses and checks against the schema of records: what it returns has every key that the schema requires.
Result<nlohmann::json> parse_record(std::string_view text);

// Returns the record_id, the SHA-256 of all that a record says. parse_record() has found it to be that.
std::string record_id(const nlohmann::json& record);

// The value of {"value": ...}, null when it is absent.
const nlohmann::json& value_of(const nlohmann::json& fact);

// What held a GPU's clocks back while a case (one of `cases`) was timed, as throttled_by() says it of a
// result; empty too where nothing is known.
std::string throttled_by(const nlohmann::json& one);

// A value as text for a table cell: numbers as JSON writes them, null and objects as nothing.
std::string cell_text(const nlohmann::json& value);

}  // namespace workbench
