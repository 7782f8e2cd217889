// SPDX-License-Identifier: MIT
// Values that cannot be: the recipe keeps the last that could, the control says why.
#include <gmock/gmock.h>

#include <QAbstractButton>
#include <QLabel>
#include <QScrollArea>

#include "panel_testing.h"

namespace workbench {
namespace {

using testing::HasSubstr;

// What is said on screen in the tone of a refusal.
std::string refusalOf(PanelOnScreen& on) {
    for (const QLabel* label : on.panel.findChildren<QLabel*>()) {
        if (label->isVisible() && label->accessibleName().startsWith(QLatin1String("Refused: "))) {
            return label->text().toStdString();
        }
    }
    return {};
}

Recipe biquad() {
    Recipe recipe;
    recipe.operations = {defaultFilter(3)};
    return recipe;
}

TEST(Refusal, UnstableCoefficientsLeaveTheRecipeAlone) {
    PanelOnScreen on(biquad());
    auto* a1 = on.find<QDoubleSpinBox>("a1");
    ASSERT_NE(a1, nullptr);
    on.type(a1, "2.5");
    EXPECT_EQ(on.session.recipe(), biquad());
    EXPECT_EQ(on.steps(), 0);
    EXPECT_EQ(a1->value(), 2.5);
    EXPECT_FALSE(refusalOf(on).empty());
    EXPECT_EQ(a1->accessibleDescription().toStdString(), refusalOf(on));
    EXPECT_TRUE(validate(on.session.recipe(), {.w = 0}).has_value());

    on.type(a1, "0.4");
    EXPECT_EQ(on.filterAt(0).parameters.at("a1"), 0.4);
    EXPECT_TRUE(refusalOf(on).empty());
    EXPECT_TRUE(a1->accessibleDescription().isEmpty());
}

TEST(Refusal, ASecondValueCanMakeTheFirstOneGood) {
    PanelOnScreen on(biquad());
    on.type(on.find<QDoubleSpinBox>("a1"), "1.5");
    EXPECT_FALSE(refusalOf(on).empty());
    on.type(on.find<QDoubleSpinBox>("a2"), "-0.9");
    EXPECT_TRUE(refusalOf(on).empty());
    EXPECT_EQ(on.filterAt(0).parameters.at("a1"), 1.5);
    EXPECT_EQ(on.filterAt(0).parameters.at("a2"), -0.9);
    EXPECT_EQ(on.steps(), 1);
}

TEST(Refusal, TheValueInForceIsOneClickAway) {
    PanelOnScreen on(biquad());
    on.type(on.find<QDoubleSpinBox>("a1"), "3");
    auto* keep = on.find<QAbstractButton>("Keep 0.3, the value in force");
    ASSERT_NE(keep, nullptr);
    keep->click();
    EXPECT_TRUE(refusalOf(on).empty());
    EXPECT_EQ(on.find<QDoubleSpinBox>("a1")->value(), 0.3);
    EXPECT_EQ(on.session.recipe(), biquad());
    EXPECT_EQ(on.steps(), 0);
}

TEST(Refusal, UndoAndAnotherSelectionDropWhatWasRefused) {
    Recipe recipe = biquad();
    recipe.operations.push_back(defaultFilter(1));
    PanelOnScreen on(recipe);
    on.type(on.find<QDoubleSpinBox>("b0"), "0.5");
    on.type(on.find<QDoubleSpinBox>("a1"), "3");
    EXPECT_FALSE(refusalOf(on).empty());
    on.session.undoStack()->undo();
    EXPECT_TRUE(refusalOf(on).empty());
    EXPECT_EQ(on.find<QDoubleSpinBox>("a1")->value(), 0.3);

    on.type(on.find<QDoubleSpinBox>("a1"), "3");
    on.panel.selectRow(1);
    on.panel.selectRow(0);
    EXPECT_TRUE(refusalOf(on).empty());
    EXPECT_EQ(on.find<QDoubleSpinBox>("a1")->value(), 0.3);
}

TEST(Refusal, AChangeElsewhereKeepsWhatWasRefused) {
    PanelOnScreen on(biquad());
    on.type(on.find<QDoubleSpinBox>("a1"), "3");
    on.find<QAbstractButton>("Keep alpha")->click();
    EXPECT_EQ(on.find<QDoubleSpinBox>("a1")->value(), 3);
    EXPECT_FALSE(refusalOf(on).empty());
}

TEST(Refusal, PoolingThatCannotBeIsExplainedAtTheControl) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::max)};
    PanelOnScreen on(recipe);
    on.type(on.find<QSpinBox>("Padding, height"), "2");
    EXPECT_THAT(refusalOf(on), HasSubstr("half the window"));
    EXPECT_EQ(on.session.recipe(), recipe);
    EXPECT_FALSE(on.find<QSpinBox>("Padding, height")->accessibleDescription().isEmpty());
    on.type(on.find<QSpinBox>("Window, height"), "4");  // makes room for that padding
    EXPECT_TRUE(refusalOf(on).empty());
    EXPECT_EQ(on.poolAt(0).padding, (iir2d::Extent{2, 2}));
    EXPECT_EQ(on.poolAt(0).window, (iir2d::Extent{4, 4}));
}

TEST(Refusal, AWindowLargerThanTheImageIsRefusedAndADivisorOfZero) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::avg)};
    PanelOnScreen on(recipe);
    on.openSample();
    on.type(on.find<QSpinBox>("Window, height"), "513");
    EXPECT_THAT(refusalOf(on), HasSubstr("513"));
    EXPECT_EQ(on.session.recipe(), recipe);
    auto* keep = on.find<QAbstractButton>("Keep 2 × 2, the value in force");
    ASSERT_NE(keep, nullptr);
    keep->click();
    EXPECT_TRUE(refusalOf(on).empty());

    on.find<QAbstractButton>("Fixed divisor")->click();
    on.type(on.find<QSpinBox>("Divisor"), "0");
    EXPECT_THAT(refusalOf(on), HasSubstr("divisor"));
    EXPECT_EQ(on.poolAt(0).divisor_override, 4);
}

TEST(Refusal, AnAddedOperationThatDoesNotFitIsMarked) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::max)};
    std::get<PoolOperation>(recipe.operations[0].what).window = {512, 512};
    PanelOnScreen on(recipe);
    on.openSample();
    on.panel.addPool(iir2d::PoolOp::max);  // on one pixel
    const QModelIndex row = on.list()->model()->index(1, 0);
    EXPECT_TRUE(row.data(Qt::AccessibleTextRole).toString().contains(QLatin1String("error")));
    on.type(on.find<QSpinBox>("Window, height"), "1");
    EXPECT_FALSE(row.data(Qt::AccessibleTextRole).toString().contains(QLatin1String("error")));
    EXPECT_EQ(on.poolAt(1).window, (iir2d::Extent{1, 1}));
}

}  // namespace
}  // namespace workbench
