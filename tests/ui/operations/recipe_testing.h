// SPDX-License-Identifier: MIT
// Recipes of filters, for the tests of what edits them.
#pragma once

#include <initializer_list>
#include <vector>

#include "ui/operations/recipe_edits.h"

namespace workbench {

inline constexpr iir2d::Shape no_image{.w = 0};

// Returns a recipe of these filters, each with its default parameters.
inline Recipe filters(std::initializer_list<int> list) {
    Recipe recipe;
    for (const int id : list) recipe.operations.push_back(defaultFilter(id));
    return recipe;
}

// Returns the ids of a recipe's filters.
inline std::vector<int> ids(const Recipe& recipe) {
    std::vector<int> result;
    for (const Operation& each : recipe.operations) {
        result.push_back(std::get<FilterOperation>(each.what).filter_id);
    }
    return result;
}

}  // namespace workbench
