// SPDX-License-Identifier: MIT
// Inside core/duel only: code of libraries in memory of one process alone.
#pragma once

#include <cstdint>
#include <vector>

namespace workbench::duel {

// Returns where the program and its libraries are loaded.
std::vector<std::uintptr_t> loaded_objects();

// Copies the read-only segments (code and constants) of all libraries but `known` ones into memory of this
// process alone, at the same addresses. Otherwise processes share a file's pages, which stay where they were
// read to: caches indexed by physical addresses then make one of two equal files slower in every process.
// No other thread may run that code meanwhile. Returns whether it was done, for all or none: a system may
// forbid it.
bool copy_to_own_pages(const std::vector<std::uintptr_t>& known);

}  // namespace workbench::duel
