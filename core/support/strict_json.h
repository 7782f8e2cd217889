// SPDX-License-Identifier: MIT
// The one way in which JSON from outside is read: strictly, in a time that grows with its length, and no
// further than a limit. UTF-8, no repeated keys, no deep nesting, nothing after the value.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

// How much of a text is read. A value is a number, a text, true, false, null, an array or an object.
struct JsonLimits {
    std::size_t bytes = 0;
    std::size_t values = 0;
    int depth = 0;
};

// What nobody writes by hand or measures reaches none of these.
inline constexpr JsonLimits recipe_json_limits{.bytes = std::size_t{1} << 20, .values = 200'000, .depth = 16};
inline constexpr JsonLimits protocol_json_limits = recipe_json_limits;
inline constexpr JsonLimits settings_json_limits = recipe_json_limits;
// Of records, what is attached to releases, and the manifest of a batch: a sample takes 16 bytes or more.
inline constexpr JsonLimits record_json_limits{
    .bytes = std::size_t{1} << 26, .values = std::size_t{1} << 22, .depth = 32};

// An error is bad_input, says where or which limit, and begins without a subject: "is not UTF-8 text: ...".
Result<nlohmann::json> parse_json_strictly(std::string_view text, const JsonLimits& limits);

// Reads within the limits of records; an error begins "the JSON ...".
Result<nlohmann::json> parse_strictly(std::string_view text);

// A value as an error message shows it: JSON, on one line, shortened.
std::string shown(const nlohmann::json& value);
std::string shown(const std::string& text);

}  // namespace workbench
