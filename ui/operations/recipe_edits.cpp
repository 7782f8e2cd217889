// SPDX-License-Identifier: MIT
#include "ui/operations/recipe_edits.h"
#include "ui/support/text.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <utility>

#include "iir2d/filter.h"

namespace workbench {
namespace {

struct EditsWords {
    Q_DECLARE_TR_FUNCTIONS(workbench::RecipeEdits)
};

bool isRow(const Recipe& recipe, int row) {
    return row >= 0 && std::cmp_less(row, recipe.operations.size());
}

// Name and help, in the order of PoolOp.
constexpr std::array<std::pair<const char*, const char*>, 5> poolWords = {{
    {QT_TRANSLATE_NOOP("workbench::RecipeEdits", "Max pooling"),
     QT_TRANSLATE_NOOP("workbench::RecipeEdits", "The largest sample of each window.")},
    {QT_TRANSLATE_NOOP("workbench::RecipeEdits", "Average pooling"),
     QT_TRANSLATE_NOOP("workbench::RecipeEdits", "The mean of each window.")},
    {QT_TRANSLATE_NOOP("workbench::RecipeEdits", "Lp pooling"),
     QT_TRANSLATE_NOOP("workbench::RecipeEdits", "The p-norm of each window.")},
    {QT_TRANSLATE_NOOP("workbench::RecipeEdits", "Adaptive max pooling"),
     QT_TRANSLATE_NOOP("workbench::RecipeEdits",
                       "The largest sample of each window, in windows that the result's size gives.")},
    {QT_TRANSLATE_NOOP("workbench::RecipeEdits", "Adaptive average pooling"),
     QT_TRANSLATE_NOOP("workbench::RecipeEdits",
                       "The mean of each window, in windows that the result's size gives.")},
}};

}  // namespace

QString poolName(iir2d::PoolOp op) {
    return EditsWords::tr(poolWords[std::size_t(op)].first);
}

QString poolHelp(iir2d::PoolOp op) {
    return EditsWords::tr(poolWords[std::size_t(op)].second);
}

QString operationName(const Operation& operation) {
    if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) {
        const auto row = iir2d::filter_row(filter->filter_id);
        return row ? toText(row->name) : EditsWords::tr("Filter %1").arg(filter->filter_id);
    }
    return poolName(std::get<PoolOperation>(operation.what).op);
}

QString operationDetails(const Operation& operation) {
    const QString whole = toText(describe(operation));
    const QString name = toText(operation_name(operation));  // may hold a comma itself
    return whole.startsWith(name, Qt::CaseInsensitive) ? whole.mid(name.size() + 2) : whole;
}

Operation defaultFilter(int filterId) {
    return {.what = FilterOperation{.filter_id = filterId, .start = iir2d::Start::steady}};
}

Operation defaultPool(iir2d::PoolOp op) {
    return {.what = PoolOperation{.op = op}};
}

Recipe withInserted(Recipe recipe, int row, Operation operation) {
    if (row != int(recipe.operations.size()) && !isRow(recipe, row)) return recipe;
    recipe.operations.insert(recipe.operations.begin() + row, std::move(operation));
    return recipe;
}

Recipe withRemoved(Recipe recipe, int row) {
    if (isRow(recipe, row)) recipe.operations.erase(recipe.operations.begin() + row);
    return recipe;
}

Recipe withReplaced(Recipe recipe, int row, Operation operation) {
    if (isRow(recipe, row)) recipe.operations[std::size_t(row)] = std::move(operation);
    return recipe;
}

Recipe withEnabled(Recipe recipe, int row, bool enabled) {
    if (isRow(recipe, row)) recipe.operations[std::size_t(row)].enabled = enabled;
    return recipe;
}

Recipe withMoved(Recipe recipe, int from, int to) {
    if (!isRow(recipe, from) || !isRow(recipe, to)) return recipe;
    const auto first = recipe.operations.begin();
    if (from < to) {
        std::rotate(first + from, first + from + 1, first + to + 1);
    } else {
        std::rotate(first + to, first + from, first + from + 1);
    }
    return recipe;
}

std::vector<RowState> rowStates(const Recipe& recipe, iir2d::Shape input) {
    std::vector<RowState> states;
    for (const Operation& operation : recipe.operations) {
        RowState state{.input = input};
        if (operation.enabled) {
            if (const auto shape = validate(operation, input)) {
                input = *shape;
            } else {
                state.error = toText(shape.error().message);
                input = {.w = 0};  // what follows can only be checked in itself
            }
        }
        states.push_back(std::move(state));
    }
    return states;
}

QString refusal(const Recipe& recipe, int row, const Operation& next, iir2d::Shape input) {
    if (!isRow(recipe, row)) return {};
    const iir2d::Shape here = rowStates(recipe, input)[std::size_t(row)].input;
    if (const auto own = validate(next, here); !own) return toText(own.error().message);
    const auto after = validate(withReplaced(recipe, row, next), input);
    if (!after && validate(recipe, input)) return toText(after.error().message);
    return {};
}

}  // namespace workbench
