// SPDX-License-Identifier: MIT
// Inside core/image only: loads a module's libraries from the leaves of their graph upwards.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace workbench {

struct NeededLibrary {
    std::filesystem::path file;
    std::string name;  // for dlopen(): the file, or its bare name where it is in one of the system's folders,
                       // so that ld.so.cache decides which file of that name is loaded
};

// Returns the shared libraries that `module` needs, directly or not, each behind those it needs itself. They
// are looked for where the dynamic linker would look: the folders of RPATH, LD_LIBRARY_PATH, RUNPATH and the
// system's. What is not found there, or is no library of this machine, is left out. Linux only.
std::vector<NeededLibrary> libraries_in_order(const std::filesystem::path& module);

// Loads them in that order and leaves them loaded. The dynamic linker searches a symbol of a library in what
// the library needs itself; loaded with the module at once, in all of the module's libraries, of which
// Debian's OpenImageIO has 260. A library that cannot be loaded alone is loaded with the module as ever.
void load_libraries_in_order(const std::filesystem::path& module);

}  // namespace workbench
