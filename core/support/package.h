// SPDX-License-Identifier: MIT
// In what the program came.
#pragma once

#include <string>
#include <string_view>

namespace workbench {

// Returns "package: KIND V", the third line of --version: KIND is deb, appimage, portable, nsis, zip or none,
// V the package's version, from package.txt beside the resources. Without that file, or where it holds
// anything else, "package: none VERSION".
std::string package_line(std::string_view version);

}  // namespace workbench
