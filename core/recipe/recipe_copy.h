// SPDX-License-Identifier: MIT
// A recipe of several operations has to lie in a file for a command line to name it.
#pragma once

#include <filesystem>

#include "core/recipe/recipe.h"

namespace workbench {

// Returns the file, in the user's configuration folder, that commands name for this recipe. Its name comes
// from the recipe's content: a command copied yesterday still does what it did.
std::filesystem::path recipe_copy_path(const Recipe& recipe);

// Writes the recipe to recipe_copy_path() and returns that.
Result<std::filesystem::path> save_recipe_copy(const Recipe& recipe);

}  // namespace workbench
