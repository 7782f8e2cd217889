// SPDX-License-Identifier: MIT
// Which version of the program this is, and in what it came.
#pragma once

#include <string>
#include <string_view>

namespace workbench {

// Returns "package: KIND V", the third line of --version: KIND is deb, appimage, portable, nsis, zip or none,
// V the package's version, from package.txt beside the resources. Without that file, or where it holds
// anything else, "package: none VERSION".
std::string package_line(std::string_view version);

// Returns the version of the library that the program runs with, as "1.2.0".
std::string library_version();

// Returns what --version prints: the program's name and version, the build's fingerprint and package_line().
std::string version_text(std::string_view program);

}  // namespace workbench
