// SPDX-License-Identifier: MIT
// Whether a command line is that of a matrix.
#pragma once

#include <string>
#include <string_view>

#include "core/benchmark/benchmark.h"

namespace workbench {

// Returns whether bench_command_line() gives `text` for the matrix and its image with some recipe_path.
bool is_bench_command_line(std::string_view text, const BenchmarkMatrix& matrix);

}  // namespace workbench
