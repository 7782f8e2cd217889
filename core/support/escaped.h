// SPDX-License-Identifier: MIT
// Text from outside within a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace workbench {

// Returns the text on one line of UTF-8, without what a terminal would obey. Bytes that are not UTF-8 become
// \xff, control characters \n, \t, \r, \x1b or \u202e. A result longer than `longest` bytes is cut between
// characters and ends in "...". A backslash of the text stays as it is, so that escaping twice changes
// nothing.
std::string escaped(std::string_view text, std::size_t longest = 200);

}  // namespace workbench
