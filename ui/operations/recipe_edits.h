// SPDX-License-Identifier: MIT
// Edits of a recipe as values: each takes one recipe and gives another. Pure, apart from the table of
// filters they read.
#pragma once

#include <QString>
#include <vector>

#include "core/recipe/recipe.h"

namespace workbench {

// Returns what an operation is, without its parameters: "EMA", "Max pooling".
QString operationName(const Operation& operation);
QString poolName(iir2d::PoolOp op);
QString poolHelp(iir2d::PoolOp op);  // a sentence
// Returns describe() of the operation without its name at the beginning; empty when it has nothing else.
QString operationDetails(const Operation& operation);

// Returns an operation at its defaults.
Operation defaultFilter(int filterId);
Operation defaultPool(iir2d::PoolOp op);

// Return the recipe with one change. `row` from 0 to the number of operations; rows outside give the recipe
// unchanged.
Recipe withInserted(Recipe recipe, int row, Operation operation);
Recipe withRemoved(Recipe recipe, int row);
Recipe withReplaced(Recipe recipe, int row, Operation operation);
Recipe withEnabled(Recipe recipe, int row, bool enabled);
// Moves the operation at `from` to row `to`.
Recipe withMoved(Recipe recipe, int from, int to);

// Holds the size of the image that reaches a row and, when the row is on and cannot work, the reason.
struct RowState {
    iir2d::Shape input;  // w == 0: not known, no image or an error above
    QString error;
};
// Returns the state of each row. `input` with w == 0 when no image is open.
std::vector<RowState> rowStates(const Recipe& recipe, iir2d::Shape input);

// Returns why the operation may not take the place of row `row`, or an empty string. It may not when it is
// wrong in itself or on the size that reaches it, nor when it makes a recipe that worked stop working further
// down.
QString refusal(const Recipe& recipe, int row, const Operation& next, iir2d::Shape input);

}  // namespace workbench
