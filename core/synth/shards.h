// SPDX-License-Identifier: MIT
// Reads and writes lines of JSON in files that are compressed by Zstandard.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace workbench::synth {

// A longer one is not read: records have some tens of thousands of bytes.
inline constexpr std::size_t longest_line = std::size_t{16} << 20;

// Compresses the lines, each of which is ended. The same lines give the same bytes.
Result<std::string> compressed_lines(const std::vector<std::string>& lines);
// Gives each line of a file to `take`, until that fails. bad_input: the file is damaged, cut, no regular one,
// or has a line that is longer than the longest or more than 4 GiB of them.
Result<void> for_each_line(const std::filesystem::path& path,
                           const std::function<Result<void>(std::string&& line)>& take);
// Reads all of them.
Result<std::vector<std::string>> read_lines(const std::filesystem::path& path);

}  // namespace workbench::synth
