// SPDX-License-Identifier: MIT
// Whether a command line is that of a matrix.
#pragma once

#include <string>
#include <string_view>

#include "core/benchmark/benchmark.h"

namespace workbench {

// Whether bench_command_line() gives `text` for the matrix and the image with some recipe_path. Of the
// matrix's image only that there is one counts.
bool is_bench_command_line(std::string_view text, const BenchmarkMatrix& matrix,
                           const std::string& image_path);

}  // namespace workbench
