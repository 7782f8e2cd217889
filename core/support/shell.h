// SPDX-License-Identifier: MIT
// Words of command lines, for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace workbench {

// Returns the text as a shell reads it back unchanged as one word: itself, or within single quotes.
std::string shell_quoted(std::string_view text);

// Returns whether the word is what shell_quoted() returns for some text.
bool is_shell_quoted(std::string_view word);

}  // namespace workbench
