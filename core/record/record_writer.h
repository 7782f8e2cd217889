// SPDX-License-Identifier: MIT
// Parts of a record's JSON that other files of it repeat.
#pragma once

#include <string>

#include "core/record/record.h"

namespace workbench {

// Returns the JSON of the record's matrix, on one line.
std::string matrix_to_json(const Record& record);

}  // namespace workbench
