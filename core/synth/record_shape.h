// SPDX-License-Identifier: MIT
// Describes the lines of a data set: which members they have, and of which types. The schema that ships,
// resources/schemas/synth-1.schema.json, is printed from the same table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench::synth {

// Reads a record, or what was rejected. bad_input names the member that is wrong, and begins without a
// subject: "has ir[0].bytes, which is not a whole number from 0".
Result<nlohmann::json> read_record(std::string_view line);
Result<nlohmann::json> read_rejected(std::string_view line);

// Reads JSON within the limits of a line.
Result<nlohmann::json> read_json(std::string_view text);

// Returns the JSON schema of a record.
std::string record_schema();

}  // namespace workbench::synth
