// SPDX-License-Identifier: MIT
// UTF-8, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace workbench {

// Returns the number of bytes of the well-formed character at the start of `text`; 0 when there is none.
// Unicode standard, table 3-7.
std::size_t utf8_character_length(std::string_view text);

// Returns the number of characters of well-formed text.
std::size_t utf8_character_count(std::string_view text);

// Returns whether a well-formed character moves the cursor, colours or reorders what follows, or ends a line,
// instead of being shown: control characters of ISO 6429, and Unicode's line separators and text directions.
bool is_utf8_control(std::string_view character);

}  // namespace workbench
