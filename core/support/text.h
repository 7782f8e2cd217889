// SPDX-License-Identifier: MIT
// Text from outside, made fit for JSON, terminals and labels.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace workbench {

// The text with every byte that is not UTF-8 replaced by U+FFFD, and control characters (those of ISO 6429
// above ASCII too) other than tab and newline left out. Files say what they like in their metadata.
std::string printable_utf8(std::string_view text);

// The same on one line: tabs and newlines are blanks.
std::string one_line(std::string_view text);

// Whether all of it is well-formed UTF-8.
bool is_utf8(std::string_view text);

// A path as UTF-8 for libraries that want it so; on POSIX its bytes as they are.
std::string utf8_path(const std::filesystem::path& path);

// A path in quotes for a sentence.
std::string quoted(const std::filesystem::path& path);

}  // namespace workbench
