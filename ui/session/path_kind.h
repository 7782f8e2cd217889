// SPDX-License-Identifier: MIT
// Finds out what a file or folder is that a person opens, by its content; of libraries by its name.
#pragma once

#include <filesystem>

namespace workbench {

enum class PathKind {
    image,    // or anything else that reading an image can say more of
    recipe,   // or JSON that is none, of which reading a recipe can say why
    record,   // of a benchmark: its directory or its file
    duel,     // the record of one, likewise
    library,  // a file that is named as a shared library is
    release,  // its directory
    folder,   // of none of these
};

// Reads the beginning of the file, or of JSON that is small enough for a recipe all of it.
PathKind kind_of(const std::filesystem::path& path);

}  // namespace workbench
