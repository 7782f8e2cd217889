// SPDX-License-Identifier: MIT
// One text for one JSON value, so that its hash names the value and not how it was laid out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace workbench {

// The form of RFC 8785 (JSON Canonicalization Scheme): no white space, keys in order, shortest strings,
// doubles as ECMAScript writes them. Two deviations: whole numbers beyond 2^53 are written exactly, and keys
// are ordered by their UTF-8 bytes, which differs only beyond U+FFFF. Text that is not UTF-8 and numbers that
// are not finite cannot come from a parsed text; the former is replaced by U+FFFD, the latter written as
// null.
std::string canonical_json(const nlohmann::json& value);

// Lower-case hex SHA-256 of the canonical form. Of a record: its record_id.
std::string canonical_sha256(const nlohmann::json& value);

}  // namespace workbench
