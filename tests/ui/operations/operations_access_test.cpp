// SPDX-License-Identifier: MIT
// Every control by keyboard, by name, and whole at the narrowest width.
#include <gmock/gmock.h>

#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QToolButton>

#include "panel_testing.h"

namespace workbench {
namespace {

Recipe oneOfEach() {
    Recipe recipe;
    for (int id = 1; id <= int(iir2d::filter_table().size()); ++id)
        recipe.operations.push_back(defaultFilter(id));
    for (const iir2d::PoolOp op : {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp}) {
        recipe.operations.push_back(defaultPool(op));
    }
    return recipe;
}

std::vector<QWidget*> interactive(PanelOnScreen& on) {
    std::vector<QWidget*> result;
    for (QWidget* each : on.panel.findChildren<QWidget*>()) {
        const bool inner = qobject_cast<QAbstractSpinBox*>(each->parentWidget()) != nullptr;
        if (each->isVisible() && !inner && each->focusPolicy() != Qt::NoFocus) result.push_back(each);
    }
    return result;
}

TEST(Access, EveryControlHasANameAndNumbersHaveARange) {
    PanelOnScreen on(oneOfEach());
    for (int row = -1; row < 11; ++row) {
        if (row < 0) {
            on.session.resetRecipe({});  // the empty page too
        } else {
            on.session.resetRecipe(oneOfEach());
            on.panel.selectRow(row);
        }
        for (QWidget* each : interactive(on)) {
            QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(each);
            ASSERT_NE(accessible, nullptr);
            EXPECT_FALSE(accessible->text(QAccessible::Name).isEmpty())
                << each->metaObject()->className() << " in row " << row;
            if (qobject_cast<QSlider*>(each) != nullptr) {
                EXPECT_TRUE(accessible->text(QAccessible::Description).contains(QLatin1String("range")));
            }
            EXPECT_FALSE(each->toolTip().isEmpty() && qobject_cast<QAbstractSpinBox*>(each) != nullptr)
                << each->accessibleName().toStdString();
        }
    }
}

TEST(Access, NamesTellTheControlsOfAnEditorApart) {
    PanelOnScreen on(oneOfEach());
    for (int row = 0; row < 11; ++row) {
        on.panel.selectRow(row);
        std::vector<std::string> names;
        for (QWidget* each : interactive(on)) {
            names.push_back(
                QAccessible::queryAccessibleInterface(each)->text(QAccessible::Name).toStdString());
        }
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        EXPECT_EQ(twice, names.end()) << *twice << " in row " << row;
    }
}

TEST(Access, TabGoesThroughEverythingFromTopToBottom) {
    PanelOnScreen on(oneOfEach());
    for (const int row : {2, 5, 9}) {
        on.panel.selectRow(row);
        on.panel.findChild<QLineEdit*>()->setFocus();
        std::vector<QWidget*> order;
        int last = -1;
        for (int i = 0; i < 60; ++i) {
            QWidget* now = QApplication::focusWidget();
            ASSERT_NE(now, nullptr);
            if (!order.empty() && now == order.front()) break;
            order.push_back(now);
            const int top = now->mapTo(&on.panel, QPoint(0, now->height() / 2)).y();
            EXPECT_GT(top, last - 14) << now->accessibleName().toStdString();
            last = top;
            QTest::keyClick(now, Qt::Key_Tab);
        }
        for (QWidget* each : interactive(on)) {
            if (!each->isEnabled() || !(each->focusPolicy() & Qt::TabFocus)) continue;
            EXPECT_NE(std::find(order.begin(), order.end(), each), order.end())
                << each->metaObject()->className() << ' ' << each->accessibleName().toStdString();
        }
    }
}

TEST(Access, NothingIsCutAt300Pixels) {
    PanelOnScreen on(oneOfEach());
    on.panel.resize(300, 900);
    EXPECT_EQ(on.panel.width(), 300);  // its minimum is no larger
    for (int row = 0; row < 11; ++row) {
        on.panel.selectRow(row);
        QCoreApplication::processEvents();
        auto* scroll = on.panel.findChild<QScrollArea*>();
        EXPECT_LE(scroll->widget()->width(), scroll->viewport()->width());
        for (const QWidget* each : on.panel.findChildren<QWidget*>()) {
            if (!each->isVisible() || each->isWindow()) continue;
            const bool label = qobject_cast<const QLabel*>(each) != nullptr;
            const bool button = qobject_cast<const QAbstractButton*>(each) != nullptr;
            const bool box = qobject_cast<const QAbstractSpinBox*>(each) != nullptr;
            if (!label && !button && !box) continue;
            EXPECT_GE(each->width(), each->minimumSizeHint().width())
                << each->metaObject()->className() << " in row " << row;
            const QPoint right = each->mapTo(&on.panel, QPoint(each->width(), 0));
            EXPECT_LE(right.x(), 300) << each->metaObject()->className();
        }
    }
}

TEST(Access, SlidersAndBoxesStandInColumns) {
    PanelOnScreen on(oneOfEach());
    on.panel.selectRow(3);
    QCoreApplication::processEvents();
    std::vector<int> left;
    std::vector<int> right;
    for (QSlider* each : on.panel.findChildren<QSlider*>()) {
        if (each->isVisible()) left.push_back(each->mapTo(&on.panel, QPoint()).x());
    }
    for (QDoubleSpinBox* each : on.panel.findChildren<QDoubleSpinBox*>()) {
        if (each->isVisible()) right.push_back(each->mapTo(&on.panel, QPoint(each->width(), 0)).x());
    }
    for (QComboBox* each : on.panel.findChildren<QComboBox*>()) {
        if (!each->isVisible()) continue;
        left.push_back(each->mapTo(&on.panel, QPoint()).x());
        right.push_back(each->mapTo(&on.panel, QPoint(each->width(), 0)).x());
    }
    ASSERT_GE(left.size(), 14U);
    EXPECT_THAT(left, testing::Each(left.front()));
    EXPECT_THAT(right, testing::Each(right.front()));
}

}  // namespace
}  // namespace workbench
