// SPDX-License-Identifier: MIT
#include "ui/operations/operations_panel.h"

#include <gmock/gmock.h>

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSlider>

#include "panel_testing.h"

namespace workbench {
namespace {

using testing::ElementsAre;

TEST(OperationsPanel, AnEmptyRecipeSaysWhatToDo) {
    PanelOnScreen on;
    auto* first = on.find<QPushButton>("Add the first operation");
    auto* preset = on.find<QPushButton>("Choose a preset");
    ASSERT_NE(first, nullptr);
    ASSERT_NE(preset, nullptr);
    EXPECT_GE(first->menu()->actions().size(), 11);
    EXPECT_FALSE(on.list()->isVisible());
    on.panel.addFilter(1);
    EXPECT_TRUE(on.list()->isVisible());
    on.session.undoStack()->undo();
    EXPECT_FALSE(on.list()->isVisible());
}

TEST(OperationsPanel, TheAddMenuOffersEveryFilterAndPooling) {
    PanelOnScreen on(filters({1}));
    auto* button = on.find<QPushButton>("Add an operation");
    ASSERT_NE(button, nullptr);
    int added = 0;
    for (QAction* action : button->menu()->actions()) {
        if (action->isSeparator()) continue;
        action->trigger();
        ++added;
    }
    const int filterCount = int(iir2d::filter_table().size());
    EXPECT_EQ(added, filterCount + 5);
    const auto& operations = on.session.recipe().operations;
    ASSERT_EQ(int(operations.size()), filterCount + 6);  // each went below the one before
    for (int id = 1; id <= filterCount; ++id) EXPECT_EQ(on.filterAt(id).filter_id, id);
    EXPECT_EQ(on.poolAt(filterCount + 1).op, iir2d::PoolOp::max);
    EXPECT_EQ(on.poolAt(filterCount + 2).op, iir2d::PoolOp::avg);
    EXPECT_EQ(on.poolAt(filterCount + 3).op, iir2d::PoolOp::lp);
    EXPECT_EQ(on.poolAt(filterCount + 4).op, iir2d::PoolOp::adaptive_max);
    EXPECT_EQ(on.poolAt(filterCount + 5).op, iir2d::PoolOp::adaptive_avg);
    EXPECT_EQ(on.poolAt(filterCount + 5).output, (iir2d::Extent{256, 256})) << "no picture is open";
    EXPECT_EQ(on.panel.selectedRow(), filterCount + 5);
    EXPECT_EQ(on.session.undoStack()->undoText().toStdString(), "Add Adaptive average pooling");
}

TEST(OperationsPanel, ASliderDragIsOneUndoStepAndTheNextAnother) {
    PanelOnScreen on(filters({6}));
    auto* slider = on.find<QSlider>("Sigma, slider");
    ASSERT_NE(slider, nullptr);
    const int y = slider->height() / 2;
    const auto drag = [&](int from, int to) {
        QTest::mousePress(slider, Qt::LeftButton, {}, {from, y});
        for (int x = from; x != to; x += from < to ? 1 : -1) QTest::mouseMove(slider, {x, y});
        QTest::mouseRelease(slider, Qt::LeftButton, {}, {to, y});
    };
    QSignalSpy changed(&on.session, &Session::recipeChanged);
    drag(15, 35);
    const double first = on.filterAt(0).parameters.at("sigma");
    EXPECT_GT(changed.size(), 10);
    EXPECT_EQ(on.steps(), 1);
    EXPECT_EQ(on.session.undoStack()->undoText().toStdString(),
              "Change Sigma of " + operationName(defaultFilter(6)).toStdString());
    drag(35, 45);
    EXPECT_EQ(on.steps(), 2);
    EXPECT_GT(on.filterAt(0).parameters.at("sigma"), first);

    auto* box = on.find<QDoubleSpinBox>("Sigma");
    on.session.undoStack()->undo();
    EXPECT_EQ(box->value(), first);
    on.session.undoStack()->undo();
    EXPECT_EQ(box->value(), 2);
    EXPECT_TRUE(on.filterAt(0).parameters.empty());
    EXPECT_EQ(on.steps(), 2);  // following made no step of its own
}

TEST(OperationsPanel, ASeriesOfArrowPressesIsOneUndoStep) {
    PanelOnScreen on(filters({1}));
    auto* box = on.find<QDoubleSpinBox>("Alpha");
    ASSERT_NE(box, nullptr);
    box->setFocus();
    for (int i = 0; i < 5; ++i) QTest::keyClick(box, Qt::Key_Up);
    EXPECT_EQ(on.steps(), 1);
    EXPECT_NEAR(on.filterAt(0).parameters.at("alpha"), 0.9, 1e-12);
    QTest::keyClick(box, Qt::Key_Return);
    QTest::keyClick(box, Qt::Key_Up);
    EXPECT_EQ(on.steps(), 2);
}

TEST(OperationsPanel, ResettingDropsTheParameterFromTheRecipe) {
    PanelOnScreen on(filters({1}));
    on.type(on.find<QDoubleSpinBox>("Alpha"), "0.5");
    EXPECT_EQ(on.filterAt(0).parameters.at("alpha"), 0.5);
    auto* reset = on.find<QAbstractButton>("Reset Alpha to 0.85");
    ASSERT_NE(reset, nullptr);
    reset->click();
    EXPECT_TRUE(on.filterAt(0).parameters.empty());
    EXPECT_EQ(on.steps(), 2);
}

TEST(OperationsPanel, DraggingARowReordersInOneUndoStep) {
    PanelOnScreen on(filters({1, 2, 3}));
    QWidget* viewport = on.list()->viewport();
    const auto centre = [&](int row) {
        return on.list()->visualRect(on.list()->model()->index(row, 0)).center();
    };
    QTest::mousePress(viewport, Qt::LeftButton, {}, centre(0));
    for (int y = centre(0).y(); y <= centre(2).y(); y += 3) QTest::mouseMove(viewport, {centre(0).x(), y});
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(2, 3, 1));  // already while dragging
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, centre(2));
    EXPECT_EQ(on.steps(), 1);
    EXPECT_EQ(on.panel.selectedRow(), 2);
    on.session.undoStack()->undo();
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(1, 2, 3));
    EXPECT_EQ(on.panel.selectedRow(), 0);

    // Off the upper end and off the lower one.
    QTest::mousePress(viewport, Qt::LeftButton, {}, centre(1));
    QTest::mouseMove(viewport, centre(1) - QPoint(0, 15));
    QTest::mouseMove(viewport, {centre(1).x(), -40});
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(2, 1, 3));
    QTest::mouseMove(viewport, {centre(1).x(), viewport->height() + 50});
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, {centre(1).x(), viewport->height() + 50});
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(1, 3, 2));
    EXPECT_EQ(on.steps(), 1);
}

TEST(OperationsPanel, TheKeyboardMovesDuplicatesRemovesAndSwitches) {
    PanelOnScreen on(filters({1, 2, 3}));
    on.list()->setFocus();
    on.panel.selectRow(1);
    QTest::keyClick(on.list(), Qt::Key_Up, Qt::AltModifier);
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(2, 1, 3));
    EXPECT_EQ(on.panel.selectedRow(), 0);
    QTest::keyClick(on.list(), Qt::Key_Up, Qt::AltModifier);  // already at the top
    EXPECT_EQ(on.steps(), 1);
    QTest::keyClick(on.list(), Qt::Key_Down, Qt::AltModifier);
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(1, 2, 3));
    QTest::keyClick(on.list(), Qt::Key_D, Qt::ControlModifier);
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(1, 2, 2, 3));
    EXPECT_EQ(on.panel.selectedRow(), 2);
    QTest::keyClick(on.list(), Qt::Key_Space);
    EXPECT_FALSE(on.session.recipe().operations[2].enabled);
    QTest::keyClick(on.list(), Qt::Key_Delete);
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(1, 2, 3));
    EXPECT_EQ(on.panel.selectedRow(), 2);
    EXPECT_EQ(on.steps(), 5);
    while (on.session.undoStack()->canUndo()) on.session.undoStack()->undo();
    EXPECT_EQ(on.session.recipe(), filters({1, 2, 3}));
}

TEST(OperationsPanel, DeleteInANumberRemovesNoOperation) {
    PanelOnScreen on(filters({1, 2}));
    auto* box = on.find<QDoubleSpinBox>("Alpha");
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Delete);
    EXPECT_EQ(on.session.recipe().operations.size(), 2U);
}

TEST(OperationsPanel, ACheckBoxInTheListSwitchesItsRow) {
    PanelOnScreen on(filters({1, 2}));
    const QRect row = on.list()->visualRect(on.list()->model()->index(1, 0));
    QTest::mouseClick(on.list()->viewport(), Qt::LeftButton, {}, {row.left() + 14, row.center().y()});
    EXPECT_FALSE(on.session.recipe().operations[1].enabled);
    EXPECT_TRUE(on.session.recipe().operations[0].enabled);
    EXPECT_EQ(on.session.undoStack()->undoText().toStdString(),
              "Switch " + operationName(defaultFilter(2)).toStdString() + " off");
    QTest::mouseClick(on.list()->viewport(), Qt::LeftButton, {}, row.center());
    EXPECT_FALSE(on.session.recipe().operations[1].enabled);  // beside the box it only selects
}

TEST(OperationsPanel, TheSelectionSurvivesUndoAndRedoElsewhere) {
    PanelOnScreen on(filters({1, 6}));
    on.type(on.find<QDoubleSpinBox>("Alpha"), "0.5");
    on.panel.selectRow(1);
    on.session.undoStack()->undo();
    EXPECT_EQ(on.panel.selectedRow(), 1);
    EXPECT_NE(on.find<QDoubleSpinBox>("Sigma"), nullptr);
    on.session.undoStack()->redo();
    EXPECT_EQ(on.panel.selectedRow(), 1);
    on.panel.selectRow(0);
    EXPECT_EQ(on.find<QDoubleSpinBox>("Alpha")->value(), 0.5);
}

TEST(OperationsPanel, EveryChoiceReachesTheRecipeAndComesBack) {
    PanelOnScreen on(filters({3}));
    EXPECT_FALSE(on.find<QDoubleSpinBox>("Constant")->isEnabled());
    const auto choose = [&](const char* name, int index) {
        auto* combo = on.find<QComboBox>(name);
        ASSERT_NE(combo, nullptr) << name;
        combo->setFocus();
        QTest::keyClick(combo, Qt::Key_Home);
        for (int i = 0; i < index; ++i) QTest::keyClick(combo, Qt::Key_Down);
    };
    choose("Border", 3);
    EXPECT_TRUE(on.find<QDoubleSpinBox>("Constant")->isEnabled());
    on.type(on.find<QDoubleSpinBox>("Constant"), "-2.5");
    choose("Precision", 2);
    choose("Start", 1);
    on.find<QAbstractButton>("Normalise gain")->click();
    on.find<QAbstractButton>("Keep alpha")->click();
    const FilterOperation& filter = on.filterAt(0);
    EXPECT_EQ(filter.border, iir2d::Border::constant);
    EXPECT_EQ(filter.border_const, -2.5);
    EXPECT_EQ(filter.precision, iir2d::Precision::f64);
    EXPECT_EQ(filter.start, iir2d::Start::steady);
    EXPECT_TRUE(filter.normalise_gain);
    EXPECT_TRUE(on.session.recipe().keep_alpha);
    while (on.session.undoStack()->canUndo()) on.session.undoStack()->undo();
    EXPECT_EQ(on.session.recipe(), filters({3}));
    EXPECT_EQ(on.find<QComboBox>("Border")->currentIndex(), int(iir2d::Border::mirror));
    EXPECT_FALSE(on.find<QDoubleSpinBox>("Constant")->isEnabled());
    EXPECT_FALSE(on.find<QAbstractButton>("Normalise gain")->isChecked());
    EXPECT_FALSE(on.find<QAbstractButton>("Keep alpha")->isChecked());
}

TEST(OperationsPanel, ThePoolingEditorWritesEveryField) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::avg)};
    PanelOnScreen on(recipe);
    on.type(on.find<QSpinBox>("Window, height"), "3");
    EXPECT_EQ(on.poolAt(0).window, (iir2d::Extent{3, 3}));  // linked while square
    on.find<QAbstractButton>("Window: keep height and width equal")->click();
    on.type(on.find<QSpinBox>("Window, width"), "5");
    EXPECT_EQ(on.poolAt(0).window, (iir2d::Extent{3, 5}));
    EXPECT_FALSE(on.find<QSpinBox>("Stride, height")->isEnabled());
    EXPECT_EQ(on.find<QSpinBox>("Stride, width")->value(), 5);
    on.find<QAbstractButton>("Stride as the window")->click();
    EXPECT_EQ(on.poolAt(0).stride, (iir2d::Extent{3, 5}));
    on.type(on.find<QSpinBox>("Stride, width"), "2");
    EXPECT_EQ(on.poolAt(0).stride, (iir2d::Extent{3, 2}));
    on.type(on.find<QSpinBox>("Padding, width"), "1");
    EXPECT_EQ(on.poolAt(0).padding, (iir2d::Extent{1, 1}));
    on.type(on.find<QSpinBox>("Dilation, height"), "2");
    EXPECT_EQ(on.poolAt(0).dilation, (iir2d::Extent{2, 2}));
    on.find<QAbstractButton>("Round the size up")->click();
    on.find<QAbstractButton>("Count the padding")->click();
    on.find<QAbstractButton>("Fixed divisor")->click();
    on.type(on.find<QSpinBox>("Divisor"), "-4");
    EXPECT_TRUE(on.poolAt(0).ceil_mode);
    EXPECT_TRUE(on.poolAt(0).count_include_pad);
    EXPECT_EQ(on.poolAt(0).divisor_override, -4);
    EXPECT_EQ(on.find<QDoubleSpinBox>("Exponent p"), nullptr);

    // To lp: no padding and no divisor are left in force, in one step.
    const int before = on.steps();
    auto* type = on.find<QComboBox>("Pooling operation");
    type->setFocus();
    QTest::keyClick(type, Qt::Key_Down);
    EXPECT_EQ(on.poolAt(0).op, iir2d::PoolOp::lp);
    EXPECT_EQ(on.poolAt(0).padding, (iir2d::Extent{0, 0}));
    EXPECT_FALSE(on.poolAt(0).divisor_override);
    EXPECT_EQ(on.steps(), before + 1);
    EXPECT_FALSE(on.find<QSpinBox>("Padding, width")->isEnabled());
    on.type(on.find<QDoubleSpinBox>("Exponent p"), "3.5");
    EXPECT_EQ(on.poolAt(0).p, 3.5);
    while (on.session.undoStack()->canUndo()) on.session.undoStack()->undo();
    EXPECT_EQ(on.session.recipe(), recipe);
}

TEST(OperationsPanel, AnAdaptiveOperationIsGivenASizeAndKeepsTheResults) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::avg)};
    PanelOnScreen on(recipe);
    on.openSample();
    ASSERT_NE(on.session.image(), nullptr);
    EXPECT_EQ(on.find<QSpinBox>("Output, height"), nullptr);
    auto* type = on.find<QComboBox>("Pooling operation");
    type->setFocus();
    QTest::keyClick(type, Qt::Key_End);
    EXPECT_EQ(on.poolAt(0).op, iir2d::PoolOp::adaptive_avg);
    EXPECT_EQ(on.poolAt(0).output, (iir2d::Extent{256, 256})) << "what the average made of 512";
    EXPECT_EQ(on.find<QSpinBox>("Window, height"), nullptr);
    EXPECT_EQ(on.find<QAbstractButton>("Round the size up"), nullptr);
    on.type(on.find<QSpinBox>("Output, width"), "30");
    EXPECT_EQ(on.poolAt(0).output, (iir2d::Extent{30, 30}));
    QTest::keyClick(type, Qt::Key_Home);
    EXPECT_EQ(on.poolAt(0), (PoolOperation{}));
    ASSERT_NE(on.find<QSpinBox>("Window, height"), nullptr);
    while (on.session.undoStack()->canUndo()) on.session.undoStack()->undo();
    EXPECT_EQ(on.session.recipe(), recipe);
    // A new one begins with half of what there is.
    on.panel.addPool(iir2d::PoolOp::adaptive_max);
    EXPECT_EQ(on.poolAt(1).output, (iir2d::Extent{128, 128}));
}

TEST(OperationsPanel, TheOutputSizeFollows) {
    Recipe recipe;
    recipe.operations = {defaultPool(iir2d::PoolOp::max)};
    PanelOnScreen on(recipe);
    on.openSample();
    ASSERT_NE(on.session.image(), nullptr);
    const auto says = [&](const char* text) {
        for (const QLabel* label : on.panel.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(u(text))) return true;
        }
        return false;
    };
    EXPECT_TRUE(says("512 × 512 becomes 256 × 256 pixels"));
    EXPECT_TRUE(says("256 × 256 · "));  // with the memory
    on.type(on.find<QSpinBox>("Window, height"), "4");
    EXPECT_TRUE(says("512 × 512 becomes 128 × 128 pixels"));
}

TEST(OperationsPanel, MenusForTheMenuBar) {
    PanelOnScreen on(filters({1}));
    QWidget bar;
    QMenu* operations = on.panel.createOperationsMenu(&bar);
    EXPECT_EQ(operations->title().toStdString(), "&Operations");
    for (QAction* action : operations->actions()) {
        if (action->text() == QLatin1String("D&uplicate")) action->trigger();
    }
    EXPECT_THAT(ids(on.session.recipe()), ElementsAre(1, 1));
    EXPECT_EQ(on.panel.createPresetsMenu(&bar)->title().toStdString(), "&Presets");
}

TEST(OperationsPanel, NewFiltersStartSteady) {
    PanelOnScreen on;
    for (int id = 1; id <= int(iir2d::filter_table().size()); ++id) {
        on.panel.addFilter(id);
        EXPECT_EQ(on.filterAt(on.panel.selectedRow()).start, iir2d::Start::steady) << id;
    }
    EXPECT_EQ(FilterOperation{}.start, iir2d::Start::truncated) << "the format's default stays";
}

TEST(OperationsPanel, SaysThatATruncatedStartDarkens) {
    PanelOnScreen on({.operations = {{.what = FilterOperation{.filter_id = 6}}}});
    const auto isSaid = [&] {
        for (const QLabel* label : on.panel.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(u("darkens towards the edges"))) return true;
        }
        return false;
    };
    EXPECT_TRUE(isSaid());
    auto* start = on.find<QComboBox>("Start");
    start->setFocus();
    QTest::keyClick(start, Qt::Key_Down);
    EXPECT_EQ(on.filterAt(0).start, iir2d::Start::steady);
    EXPECT_FALSE(isSaid());
}

}  // namespace
}  // namespace workbench
