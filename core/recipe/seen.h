// SPDX-License-Identifier: MIT
// Which operations were executed on which planes: what a tuner may be asked to measure later. Thread-safe.
#pragma once

#include <variant>
#include <vector>

#include "core/recipe/recipe.h"
#include "iir2d/tensor.h"

namespace workbench {

struct SeenOperation {
    std::variant<FilterOperation, PoolOperation> operation;
    iir2d::ElementType element = iir2d::ElementType::f32;
    iir2d::Shape shape;
    bool places = false;
};

// Before the first call nothing is noted.
void begin_to_note_operations();
// Notes one unless there are 4,096 of this process.
void note_operation(const SeenOperation& seen);
// Returns what was noted and forgets it.
std::vector<SeenOperation> take_noted_operations();

}  // namespace workbench
