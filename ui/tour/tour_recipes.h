// SPDX-License-Identifier: MIT
// The recipes that the tour shows.
#pragma once

#include <initializer_list>

#include "core/recipe/recipe.h"

namespace workbench {

inline Recipe recipeOf(std::initializer_list<Operation> operations) {
    Recipe recipe;
    recipe.operations.assign(operations);
    return recipe;
}

inline Operation deriche(double sigma) {
    return {.enabled = true, .what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", sigma}}}};
}

}  // namespace workbench
