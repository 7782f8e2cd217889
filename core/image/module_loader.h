// SPDX-License-Identifier: MIT
// Inside core/image and the image worker only: opens the image module.
#pragma once

#include <filesystem>

#include "core/image/codec.h"

namespace workbench {

// Returns the module's path: in $IIR2D_MODULE_DIR when that is set, else where it is installed, seen from the
// running program; nowhere else. Empty in a build that has the module linked in.
std::filesystem::path images_module_path();

// Opens it, once. device_failure, naming the file, when it is missing, is no such module or is of another
// build.
Result<const ImagesModule*> load_images_module(const std::filesystem::path& file);

// Returns the sentence for a module, or a worker program, that cannot be used.
std::unexpected<Error> unusable(const std::filesystem::path& file, const std::string& why);

}  // namespace workbench
