// SPDX-License-Identifier: MIT
// Duels of libraries that do what their names say.
#pragma once

#include <cstdlib>
#include <string>

#include "core/duel/duel.h"
#include "tests/core/duel/made_duel.h"

namespace workbench {

inline std::string planted(const std::string& kind) {
    ::setenv("IIR2D_PLANTED_REAL", IIR2D_REAL_LIBRARY, 1);
    return IIR2D_PLANTED_DIR "/planted_" + kind + ".so";
}

inline LibraryFile library(const std::string& path) {
    auto found = find_library("side", path);
    return found ? *found : LibraryFile{.given = found.error().message};
}

}  // namespace workbench
