// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace workbench {

// Returns the folder of the running program, links followed; empty where the system does not say.
std::filesystem::path program_folder();

}  // namespace workbench
