// SPDX-License-Identifier: MIT
#include "core/recipe/recipe_copy.h"

#include <system_error>

#include "core/support/files.h"
#include "core/support/try.h"

namespace workbench {

std::filesystem::path recipe_copy_path(const Recipe& recipe) {
    const std::string hash = sha256_hex(to_json(recipe));
    return config_directory() / "copied-recipes" / ("recipe-" + hash.substr(0, 12) + ".json");
}

Result<std::filesystem::path> save_recipe_copy(const Recipe& recipe) {
    std::filesystem::path path = recipe_copy_path(recipe);
    std::error_code failed;  // found again, with a sentence, when the file is written
    std::filesystem::create_directories(path.parent_path(), failed);
    IIR2D_RETURN_IF_ERROR(save_recipe(recipe, path));
    return path;
}

}  // namespace workbench
