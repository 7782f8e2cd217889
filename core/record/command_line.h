// SPDX-License-Identifier: MIT
// Options of a matrix in command lines, and whether a command line is that of a matrix.
#pragma once

#include <string>
#include <string_view>

#include "core/benchmark/benchmark.h"

namespace workbench {

// Returns whether bench_command_line() gives `text` for the matrix and its image with some recipe_path.
bool is_bench_command_line(std::string_view text, const BenchmarkMatrix& matrix);

// Returns the options that name the cases of a matrix and their input, device and threads, without those of
// timing, each after a blank: " --filter-ids 1 --device cpu --sizes 512x512". Of several groups of pooling
// operations, which one command cannot have, the first; no recipe.
std::string case_options(const BenchmarkMatrix& matrix);

}  // namespace workbench
