// SPDX-License-Identifier: MIT
#include "ui/operations/operation_list_model.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QSignalSpy>

#include "tests/ui/operations/recipe_testing.h"

namespace workbench {
namespace {

struct ModelTest : testing::Test {
    OperationListModel model;
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
    QItemSelectionModel selection{&model};
    QSignalSpy inserted{&model, &QAbstractItemModel::rowsInserted};
    QSignalSpy removed{&model, &QAbstractItemModel::rowsRemoved};
    QSignalSpy moved{&model, &QAbstractItemModel::rowsMoved};
    QSignalSpy reset{&model, &QAbstractItemModel::modelReset};

    void show(std::initializer_list<int> list) {
        model.setRecipe(filters(list), no_image);
        inserted.clear();
        removed.clear();
        moved.clear();
    }
    void select(int row) { selection.setCurrentIndex(model.index(row), QItemSelectionModel::SelectCurrent); }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (int row = 0; row < model.rowCount(); ++row) {
            result.push_back(model.index(row).data(OperationListModel::NameRole).toString().toStdString());
        }
        return result;
    }
    static std::string nameOf(int id) { return operationName(defaultFilter(id)).toStdString(); }
};

using testing::ElementsAre;

TEST_F(ModelTest, InsertedAndRemovedRowsKeepTheSelection) {
    show({1, 2, 3});
    select(1);
    model.setRecipe(filters({1, 6, 2, 3}), no_image);
    EXPECT_EQ(inserted.size(), 1);
    EXPECT_EQ(selection.currentIndex().row(), 2);
    model.setRecipe(filters({2, 3}), no_image);
    EXPECT_EQ(removed.size(), 1);
    EXPECT_EQ(selection.currentIndex().row(), 0);
    EXPECT_THAT(names(), ElementsAre(nameOf(2), nameOf(3)));
}

TEST_F(ModelTest, AMoveIsAMoveBothWays) {
    show({1, 2, 3, 4});
    select(0);
    model.setRecipe(filters({2, 3, 1, 4}), no_image);
    EXPECT_EQ(moved.size(), 1);
    EXPECT_EQ(selection.currentIndex().row(), 2);
    model.setRecipe(filters({1, 2, 3, 4}), no_image);
    EXPECT_EQ(moved.size(), 2);
    EXPECT_EQ(selection.currentIndex().row(), 0);
    select(3);
    model.setRecipe(filters({4, 1, 2, 3}), no_image);
    EXPECT_EQ(selection.currentIndex().row(), 0);
    EXPECT_EQ(inserted.size() + removed.size(), 0);
}

TEST_F(ModelTest, AChangedParameterIsAChangeOfItsRowAlone) {
    show({1, 2});
    select(1);
    Recipe next = filters({1, 2});
    std::get<FilterOperation>(next.operations[0].what).parameters["alpha"] = 0.5;
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setRecipe(next, no_image);
    EXPECT_GE(changed.size(), 1);
    EXPECT_EQ(inserted.size() + removed.size() + moved.size() + reset.size(), 0);
    EXPECT_EQ(selection.currentIndex().row(), 1);
    EXPECT_EQ(model.index(0).data(OperationListModel::DetailsRole).toString().toStdString(),
              "alpha 0.5, steady start");
}

TEST_F(ModelTest, AnyRecipeCanReplaceAnyOther) {
    const std::initializer_list<int> lists[] = {{},           {1},       {1, 1},         {2, 1},
                                                {3, 2, 1, 5}, {5, 5, 5}, {1, 2, 3, 4, 5}};
    for (const auto& from : lists) {
        for (const auto& to : lists) {
            model.setRecipe(filters(from), no_image);
            model.setRecipe(filters(to), no_image);
            std::vector<std::string> expected;
            for (const int id : to) expected.push_back(nameOf(id));
            EXPECT_EQ(names(), expected);
        }
    }
    EXPECT_EQ(reset.size(), 0);
}

TEST_F(ModelTest, AsksForSwitchingAndDoesNotDoItItself) {
    show({1, 2});
    QSignalSpy asked(&model, &OperationListModel::enableRequested);
    EXPECT_TRUE(model.setData(model.index(1), Qt::Unchecked, Qt::CheckStateRole));
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked[0][0].toInt(), 1);
    EXPECT_FALSE(asked[0][1].toBool());
    EXPECT_EQ(model.index(1).data(Qt::CheckStateRole).toInt(), Qt::Checked);
    EXPECT_FALSE(model.setData(model.index(1), Qt::Checked, Qt::CheckStateRole));
    EXPECT_FALSE(model.setData(model.index(1), 3, Qt::EditRole));
}

TEST_F(ModelTest, SaysWhatIsWrongToTheEyeAndTheEar) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::max)};
    model.setRecipe(recipe, {.h = 1, .w = 1});
    const QString error = model.index(0).data(OperationListModel::ErrorRole).toString();
    EXPECT_TRUE(error.contains(QLatin1String("window"))) << error.toStdString();
    EXPECT_TRUE(model.index(0).data(Qt::AccessibleTextRole).toString().contains(error));
    EXPECT_EQ(model.index(0).data(Qt::ToolTipRole).toString(), error);
    model.setRecipe(recipe, {.h = 4, .w = 4});
    EXPECT_TRUE(model.index(0).data(OperationListModel::ErrorRole).toString().isEmpty());
}

}  // namespace
}  // namespace workbench
