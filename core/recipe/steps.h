// SPDX-License-Identifier: MIT
// A recipe's enabled operations with the sizes they get, for those who apply them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/recipe/recipe.h"

namespace workbench {

struct Step {
    std::size_t number = 0;  // of the operation, from 1, as a person counts them
    const Operation* operation = nullptr;
    iir2d::Shape input;
    iir2d::Shape output;
    // What it computes on. Pooling plans take f32 only.
    iir2d::ElementType element = iir2d::ElementType::f32;

    const FilterOperation* filter() const { return std::get_if<FilterOperation>(&operation->what); }
    const PoolOperation* pool() const { return std::get_if<PoolOperation>(&operation->what); }
    // Returns what an error begins with: "operation 2 (max pooling): "
    std::string prefix() const;
};

// Returns the steps of a recipe that is valid for `shape`, and that outlives them.
std::vector<Step> steps_of(const Recipe& recipe, iir2d::Shape shape);

// Returns whether the result is stored in f64.
bool asks_f64(const std::vector<Step>& steps);

double samples(iir2d::Shape shape);

}  // namespace workbench
