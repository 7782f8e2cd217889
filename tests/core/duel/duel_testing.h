// SPDX-License-Identifier: MIT
// Duels of libraries that do what their names say.
#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "core/duel/duel.h"
#include "tests/core/duel/made_duel.h"

namespace workbench {

inline std::string planted(const std::string& kind) {
    ::setenv("IIR2D_PLANTED_REAL", IIR2D_REAL_LIBRARY, 1);
    return IIR2D_PLANTED_DIR "/planted_" + kind + ".so";
}

// Waits for what takes milliseconds, and longer on a busy machine.
inline bool comes_true(const std::function<bool()>& condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

inline LibraryFile library(const std::string& path) {
    auto found = find_library("side", path);
    return found ? *found : LibraryFile{.given = found.error().message};
}

}  // namespace workbench
