// SPDX-License-Identifier: MIT
// Lines of JSON in files that are compressed by Zstandard.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace workbench::synth {

// Compresses the lines, each of which is ended. The same lines give the same bytes.
Result<std::string> compressed_lines(const std::vector<std::string>& lines);
// Reads a file of them. bad_input: it is damaged, cut, or longer than 4 GiB.
Result<std::vector<std::string>> read_lines(const std::filesystem::path& path);

}  // namespace workbench::synth
