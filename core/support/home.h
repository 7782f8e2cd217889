// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace workbench {

// Returns this user's home folder: HOME where it is absolute, else as the system's list of users has it.
// Empty where there is none: then nothing is kept, because a folder that others share may hold what somebody
// else put there.
std::filesystem::path home_directory();

}  // namespace workbench
