// SPDX-License-Identifier: MIT
// Finds the worker program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace workbench::worker {

// Returns the first of these that exists: $IIR2D_WORKER_DIR/NAME and, when that is set, nothing else; NAME
// beside the running program; NAME as installed, seen from the running program. Never the search path, never
// the current folder. When none exists: the one beside the program, for a message. `name` has no ".exe".
std::filesystem::path find_worker_program(std::string_view name = "iir2d-worker");

}  // namespace workbench::worker
