// SPDX-License-Identifier: MIT
// The protocols whose names mean the same in every record.
#pragma once

#include <optional>
#include <string_view>

#include "core/benchmark/benchmark.h"

namespace workbench {

// Returns "standard" or "smoke", as docs/benchmark-protocol.md defines them. A definition that changes gets a
// new name: records of before are verified by this one. Device and threads are not part of a protocol.
std::optional<BenchmarkMatrix> named_protocol(std::string_view name);

// Returns whether two matrices are the same but for device and threads.
bool same_protocol(const BenchmarkMatrix& a, const BenchmarkMatrix& b);

}  // namespace workbench
