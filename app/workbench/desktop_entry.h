// SPDX-License-Identifier: MIT
// The entry, icons and file type that a desktop knows the program by, for packages that nobody installs.
#pragma once

#include <string>
#include <vector>

#include "core/support/error.h"

namespace workbench {

// Returns a program's path as the value of Exec in a desktop entry has it: quoted twice, as the specification
// wants.
std::string desktop_exec(const std::string& program);

// Writes entry, icons and file type of this AppImage or portable tree below ~/.local/share ($XDG_DATA_HOME),
// so that they start it where it is now. Returns the files. bad_argument in any other package: those have
// them installed.
Result<std::vector<std::string>> install_desktop_entry();

// Removes the files that install_desktop_entry() writes, where they are there, and returns them. Folders
// stay.
Result<std::vector<std::string>> remove_desktop_entry();

}  // namespace workbench
