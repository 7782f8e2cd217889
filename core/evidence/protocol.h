// SPDX-License-Identifier: MIT
// Benchmark protocols: a matrix and how it is measured, under a name that everyone means the same by.
#pragma once

#include <string>
#include <string_view>

#include "core/benchmark/benchmark.h"

namespace workbench {

// Returns "standard" or "smoke", as docs/benchmark-protocol.md has them; anything else is the path of a
// protocol file. Device and threads are not part of a protocol. bad_argument, bad_input.
Result<BenchmarkMatrix> matrix_of_protocol(const std::string& name_or_path);

// Reads the text of a protocol file. bad_input names what is wrong; unknown keys are refused.
Result<BenchmarkMatrix> matrix_from_protocol_json(std::string_view json);

}  // namespace workbench
