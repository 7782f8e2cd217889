// SPDX-License-Identifier: MIT
// One text for one JSON value, so that its hash names the value and not how it was laid out.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace workbench {

// Returns the form of RFC 8785 (JSON Canonicalization Scheme): no white space, keys in order, shortest
// strings, doubles as ECMAScript writes them. Two deviations: whole numbers beyond 2^53 are written exactly,
// and keys are ordered by their UTF-8 bytes, which differs only beyond U+FFFF. Text that is not UTF-8 and
// numbers that are not finite cannot come from a parsed text; the former is replaced by U+FFFD, the latter
// written as null.
std::string canonical_json(const nlohmann::json& value);

// Returns a double as the canonical form spells it.
std::string canonical_number(double value);

// Returns the lower-case hex SHA-256 of the canonical form.
std::string canonical_sha256(const nlohmann::json& value);

// Returns the same of an object without its member `left_out`: a hash that the object can carry itself.
std::string canonical_sha256_without(const nlohmann::json& object, std::string_view left_out);

// Returns where the first number or string of a valid JSON text starts that the canonical form spells in
// another way: 1.50, 1E-7, "\u0041", digits that a double does not hold. Absent: there is none, so that every
// change of the text but to white space and to the order of keys changes its canonical form.
std::optional<std::size_t> first_uncanonical_spelling(std::string_view valid_json);

}  // namespace workbench
