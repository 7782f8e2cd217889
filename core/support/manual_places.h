// SPDX-License-Identifier: MIT
// Where the pages of the manual may be.
#pragma once

#include <filesystem>
#include <vector>

namespace workbench {

// Returns the folders to look for README.md of the manual in, the first first: IIR2D_MANUAL_DIR alone where
// it is set, else beside the program, as installed, and in the source tree that the program was built from.
std::vector<std::filesystem::path> manual_places();

}  // namespace workbench
