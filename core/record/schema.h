// SPDX-License-Identifier: MIT
// JSON schemas that are compiled in, and validation by them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

// The text of "record"; absent for other names.
std::optional<std::string_view> embedded_schema(std::string_view name);

// bad_input names the place and what is wrong with it.
Result<void> check_schema(const nlohmann::json& value, std::string_view schema_name);

}  // namespace workbench
