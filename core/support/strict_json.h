// SPDX-License-Identifier: MIT
// The one reader of JSON from outside: strict, in linear time, and within limits. It accepts UTF-8 alone, no
// repeated keys, no deep nesting and nothing after the value.
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

// Far above what is written by hand or by a measurement.
inline constexpr JsonLimits recipe_json_limits{.bytes = std::size_t{1} << 20, .values = 200'000, .depth = 16};
inline constexpr JsonLimits protocol_json_limits = recipe_json_limits;
inline constexpr JsonLimits settings_json_limits = recipe_json_limits;
// For records, what is attached to releases, and the manifest of a batch: a sample takes 16 bytes or more.
inline constexpr JsonLimits record_json_limits{
    .bytes = std::size_t{1} << 26, .values = std::size_t{1} << 22, .depth = 32};

// Parses the text. An error is bad_input, says where or which limit, and begins without a subject: "is not
// UTF-8 text: ...".
Result<nlohmann::json> parse_json_strictly(std::string_view text, const JsonLimits& limits);

// Returns a value as an error message shows it: JSON, on one line, shortened.
std::string shown(const nlohmann::json& value);
std::string shown(const std::string& text);

}  // namespace workbench
