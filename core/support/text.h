// SPDX-License-Identifier: MIT
// Text from outside, made fit for JSON, terminals and labels.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace workbench {

// Replaces every byte that is not UTF-8 by U+FFFD, and leaves out control characters (those of ISO 6429 above
// ASCII too) other than tab and newline. For metadata, which can hold anything.
std::string printable_utf8(std::string_view text);

// Does the same, and replaces tabs and newlines by blanks.
std::string one_line(std::string_view text);

// Returns whether all of it is well-formed UTF-8.
bool is_utf8(std::string_view text);

// Returns a path as UTF-8, for libraries that want it so; on POSIX its bytes as they are.
std::string utf8_path(const std::filesystem::path& path);

// Returns a path in quotes, escaped, for a sentence.
std::string quoted(const std::filesystem::path& path);

}  // namespace workbench
