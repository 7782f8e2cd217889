// SPDX-License-Identifier: MIT
// The kernels of a git revision, built once.
#pragma once

#include <filesystem>
#include <string>

#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

// Returns libiir2d of a revision of the repository `source`. Built on the first call, by git (a worktree of
// its own, taken away afterwards) and cmake (Release, without the workbench), into
// cache_directory()/duel/COMMIT; that folder is what the next call returns. bad_argument: git knows no such
// revision; bad_input: it cannot be built, and the sentence names the log; device_failure: git or cmake
// cannot be started.
Result<std::filesystem::path> build_revision(const std::filesystem::path& source, const std::string& revision,
                                             const TaskControl& control = {});

}  // namespace workbench
