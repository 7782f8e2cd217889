// SPDX-License-Identifier: MIT
#include "ui/operations/recipe_edits.h"

#include <gmock/gmock.h>

#include "tests/ui/operations/recipe_testing.h"

namespace workbench {
namespace {

const iir2d::Shape small{.c = 3, .h = 8, .w = 10};

using testing::ElementsAre;

TEST(RecipeEdits, InsertRemoveReplace) {
    const Recipe recipe = filters({1, 2, 3});
    EXPECT_THAT(ids(withInserted(recipe, 0, defaultFilter(6))), ElementsAre(6, 1, 2, 3));
    EXPECT_THAT(ids(withInserted(recipe, 3, defaultFilter(6))), ElementsAre(1, 2, 3, 6));
    EXPECT_THAT(ids(withRemoved(recipe, 1)), ElementsAre(1, 3));
    EXPECT_THAT(ids(withReplaced(recipe, 2, defaultFilter(5))), ElementsAre(1, 2, 5));
}

TEST(RecipeEdits, MoveTakesARowToItsNewPlace) {
    const Recipe recipe = filters({1, 2, 3, 4});
    EXPECT_THAT(ids(withMoved(recipe, 0, 2)), ElementsAre(2, 3, 1, 4));
    EXPECT_THAT(ids(withMoved(recipe, 3, 0)), ElementsAre(4, 1, 2, 3));
    EXPECT_THAT(ids(withMoved(recipe, 1, 1)), ElementsAre(1, 2, 3, 4));
}

TEST(RecipeEdits, RowsThatDoNotExistChangeNothing) {
    const Recipe recipe = filters({1, 2});
    EXPECT_EQ(withInserted(recipe, 3, defaultFilter(6)), recipe);
    EXPECT_EQ(withInserted(recipe, -1, defaultFilter(6)), recipe);
    EXPECT_EQ(withRemoved(recipe, 2), recipe);
    EXPECT_EQ(withRemoved(recipe, -1), recipe);
    EXPECT_EQ(withMoved(recipe, 0, 2), recipe);
    EXPECT_EQ(withEnabled(recipe, 5, false), recipe);
    EXPECT_EQ(withReplaced(recipe, -2, defaultFilter(6)), recipe);
    EXPECT_EQ(refusal(recipe, 2, defaultFilter(6), small), QString());
}

TEST(RecipeEdits, NamesAndDetailsMakeUpTheDescription) {
    for (const int id : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const Operation operation = defaultFilter(id);
        const QString joined = operationName(operation) + QLatin1String(", ") + operationDetails(operation);
        EXPECT_EQ(joined.toStdString(), describe(operation));
    }
    const Operation pool = defaultPool(iir2d::PoolOp::avg);
    EXPECT_EQ(operationName(pool).toStdString(), "Average pooling");
    EXPECT_EQ(operationDetails(pool).toStdString(), "window 2x2");
}

TEST(RecipeEdits, RowStatesFollowTheSizeAndNameTheRowAtFault) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::max), defaultPool(iir2d::PoolOp::max), defaultFilter(1),
                         defaultPool(iir2d::PoolOp::max)};
    std::get<PoolOperation>(recipe.operations[1].what).window = {5, 5};
    std::vector<RowState> states = rowStates(recipe, small);
    ASSERT_EQ(states.size(), 4U);
    EXPECT_EQ(states[1].input.w, 5);
    EXPECT_EQ(states[1].input.h, 4);
    EXPECT_TRUE(states[0].error.isEmpty());
    EXPECT_FALSE(states[1].error.isEmpty());  // a 5 x 5 window on 5 x 4 pixels
    EXPECT_EQ(states[2].input.w, 0);
    EXPECT_TRUE(states[3].error.isEmpty());

    recipe.operations[1].enabled = false;
    states = rowStates(recipe, small);
    EXPECT_TRUE(states[1].error.isEmpty());
    EXPECT_EQ(states[3].input.h, 4);
}

TEST(RecipeEdits, RefusesWhatIsWrongInItselfWithoutAnImage) {
    Recipe recipe = filters({3});
    FilterOperation unstable{.filter_id = 3, .parameters = {{"a1", 2.5}}};
    EXPECT_FALSE(refusal(recipe, 0, {.what = unstable}, no_image).isEmpty());
    unstable.parameters = {{"a1", 1.5}, {"a2", -0.9}};
    EXPECT_EQ(refusal(recipe, 0, {.what = unstable}, no_image), QString());
}

TEST(RecipeEdits, RefusesWhatMakesALaterOperationImpossible) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::max), defaultPool(iir2d::PoolOp::avg)};
    const Operation larger{.what = PoolOperation{.window = {8, 8}}};  // leaves 1 x 1
    EXPECT_TRUE(refusal(recipe, 0, larger, small).contains(QLatin1String("operation 2")));
    // It is no reason against an edit that another row is wrong already.
    std::get<PoolOperation>(recipe.operations[1].what).window = {50, 50};
    EXPECT_EQ(refusal(recipe, 0, larger, small), QString());
}

}  // namespace
}  // namespace workbench
