// SPDX-License-Identifier: MIT
// Text from outside within a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace workbench {

// The text on one line of UTF-8 that a terminal shows and does not obey: bytes that are not UTF-8 are written
// as \xff, control characters as \n, \t, \r, \x1b or \u202e, and what is longer than `longest` bytes is cut
// and ends in
// "...". A backslash of the text stays as it is, so that escaping twice changes nothing.
std::string escaped(std::string_view text, std::size_t longest = 200);

}  // namespace workbench
