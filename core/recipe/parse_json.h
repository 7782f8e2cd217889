// SPDX-License-Identifier: MIT
// JSON read strictly, whatever is in it: UTF-8, no repeated keys, no deep nesting, nothing after the value.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

struct JsonLimits {
    std::size_t bytes = std::size_t{1} << 20;
    int depth = 16;
};

// An error is bad_input, says where, and begins without a subject: "is not UTF-8 text: ...".
Result<nlohmann::json> parse_json_strictly(std::string_view text, const JsonLimits& limits = {});

// A value as an error message shows it: JSON, shortened.
std::string shown(const nlohmann::json& value);
std::string shown(const std::string& text);

}  // namespace workbench
