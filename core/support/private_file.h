// SPDX-License-Identifier: MIT
// Files that nobody but this user may read, where that is no mode of three digits: Windows.
#pragma once

#if defined(_WIN32)
#include <filesystem>
#include <string>

#include "core/support/file_handle.h"

namespace workbench {

// Creates a file that only this user may read or write. Without one, errno says why; EEXIST: it is there.
FileHandle create_private(const std::filesystem::path& path);

// Says who may read the open file beside this user, the system and administrators; empty: nobody.
std::string who_else_may_read(int descriptor);

}  // namespace workbench
#endif
