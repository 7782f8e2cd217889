// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace workbench {

// Where the running program lies, links followed; empty where the system does not say.
std::filesystem::path program_folder();

}  // namespace workbench
