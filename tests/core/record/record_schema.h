// SPDX-License-Identifier: MIT
// The JSON schema of records, made from the table of their members: resources/schemas/record.schema.json.
#pragma once

#include <string>

namespace workbench::testing {

std::string record_schema();

}  // namespace workbench::testing
