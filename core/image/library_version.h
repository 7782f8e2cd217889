// SPDX-License-Identifier: MIT
// Which OpenImageIO reads and writes our files, for diagnostics.
#pragma once

#include <string>

namespace workbench {

// "2.4.7"
std::string image_library_version();

}  // namespace workbench
