// SPDX-License-Identifier: MIT
#include "ui/operations/parameter_row.h"

#include <gmock/gmock.h>

#include <QCheckBox>
#include <QLocale>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QWheelEvent>

#include "tests/ui/patience.h"

namespace workbench {
namespace {

constexpr iir2d::FilterParameter sigma{.name = "sigma",
                                       .label = "Sigma",
                                       .unit = "px",
                                       .minimum = 0.3,
                                       .maximum = 100,
                                       .default_value = 2,
                                       .step = 0.1,
                                       .help = "Width."};
constexpr iir2d::FilterParameter compat{.name = "compat",
                                        .label = "As before",
                                        .unit = "",
                                        .minimum = 0,
                                        .maximum = 1,
                                        .default_value = 0,
                                        .step = 1,
                                        .help = "The old way.",
                                        .is_switch = true};

struct RowOnScreen {
    explicit RowOnScreen(const iir2d::FilterParameter& parameter) : row(new ParameterRow(grid, parameter)) {
        window.resize(320, 80);
        window.show();
        static_cast<void>(QTest::qWaitForWindowExposed(&window));
    }
    QSlider* slider() { return window.findChild<QSlider*>(); }
    NumberBox* box() { return window.findChild<NumberBox*>(); }
    QToolButton* reset() {
        for (auto* each : window.findChildren<QToolButton*>()) {
            if (each->accessibleName().startsWith(QLatin1String("Reset"))) return each;
        }
        return nullptr;
    }

    QWidget window;
    FormGrid grid{&window};
    ParameterRow* row;
    QSignalSpy edited{row, &ParameterRow::valueEdited};
    QSignalSpy finished{row, &ParameterRow::finished};
};

void turnWheel(QWidget* widget, int notches) {
    const QPointF at = widget->rect().center();
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

TEST(ParameterRow, ShowsAValueWithoutEmitting) {
    RowOnScreen on(sigma);
    EXPECT_EQ(on.box()->value(), 2);
    EXPECT_FALSE(on.reset()->isEnabled());
    on.row->setValue(12.5);
    EXPECT_EQ(on.box()->value(), 12.5);
    EXPECT_EQ(on.slider()->value(), SliderScale(0.3, 100, 0.1).positionOf(12.5));
    EXPECT_TRUE(on.reset()->isEnabled());
    EXPECT_EQ(on.edited.size() + on.finished.size(), 0);
}

TEST(ParameterRow, TheBoxShowsAsManyDigitsAsTheValueHas) {
    RowOnScreen on(sigma);
    on.box()->setLocale(QLocale::c());
    on.row->setValue(2);
    EXPECT_EQ(on.box()->text().toStdString(), "2 px");
    on.row->setValue(0.123456789 + 1);
    EXPECT_EQ(on.box()->text().toStdString(), "1.123456789 px");
    on.box()->setLocale(QLocale(QLocale::German));
    EXPECT_EQ(on.box()->textFromValue(1.5).toStdString(), "1,5");
    EXPECT_EQ(on.box()->textFromValue(12345.5).toStdString(), "12345,5");
}

TEST(ParameterRow, ADragEndsWhenTheButtonComesUp) {
    RowOnScreen on(sigma);
    const QPoint start(20, on.slider()->height() / 2);
    QTest::mousePress(on.slider(), Qt::LeftButton, {}, start);
    for (int x = 22; x < 60; x += 4) QTest::mouseMove(on.slider(), {x, start.y()});
    EXPECT_GT(on.edited.size(), 5);
    EXPECT_EQ(on.finished.size(), 0);
    QTest::qWait(1000);  // held still for longer than any burst
    EXPECT_EQ(on.finished.size(), 0);
    QTest::mouseRelease(on.slider(), Qt::LeftButton, {}, {60, start.y()});
    EXPECT_EQ(on.finished.size(), 1);
    EXPECT_FALSE(on.slider()->isSliderDown());
    EXPECT_EQ(on.row->value(), on.box()->value());
}

TEST(ParameterRow, APressOnTheGrooveBringsTheHandleThere) {
    RowOnScreen on(sigma);
    const QPoint near(on.slider()->width() - 4, on.slider()->height() / 2);
    QTest::mouseClick(on.slider(), Qt::LeftButton, {}, near);
    EXPECT_GT(on.row->value(), 80);
    EXPECT_FALSE(on.slider()->isSliderDown());
    EXPECT_EQ(on.finished.size(), 1);
}

TEST(ParameterRow, ATypedValueCountsWhenItIsComplete) {
    RowOnScreen on(sigma);
    on.box()->setFocus();
    on.box()->selectAll();
    QTest::keyClicks(on.box(), QStringLiteral("12.5"));
    EXPECT_EQ(on.edited.size(), 0);
    QTest::keyClick(on.box(), Qt::Key_Return);
    ASSERT_EQ(on.edited.size(), 1);
    EXPECT_EQ(on.edited[0][0].toDouble(), 12.5);
    EXPECT_EQ(on.finished.size(), 1);
}

TEST(ParameterRow, ArrowsAndWheelAreOneSeriesUntilTheyPause) {
    RowOnScreen on(sigma);
    on.window.activateWindow();
    on.box()->setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return on.box()->hasFocus(); }, patience_ms));
    for (int i = 0; i < 3; ++i) QTest::keyClick(on.box(), Qt::Key_Up);
    turnWheel(on.box(), 1);
    EXPECT_EQ(on.edited.size(), 4);
    EXPECT_NEAR(on.row->value(), 2.4, 1e-12);
    EXPECT_EQ(on.finished.size(), 0);
    EXPECT_TRUE(QTest::qWaitFor([&] { return on.finished.size() == 1; }, patience_ms));
}

TEST(ParameterRow, TheWheelOfAScrollingPanelChangesNothing) {
    RowOnScreen on(sigma);
    on.window.setFocus();
    on.box()->clearFocus();
    on.slider()->clearFocus();
    turnWheel(on.box(), 3);
    turnWheel(on.slider(), 3);
    EXPECT_EQ(on.edited.size(), 0);
}

TEST(ParameterRow, ResetGoesToTheDefaultAtOnce) {
    RowOnScreen on(sigma);
    on.row->setValue(7);
    QTest::mouseClick(on.reset(), Qt::LeftButton);
    EXPECT_EQ(on.row->value(), 2);
    EXPECT_EQ(on.edited.size(), 1);
    EXPECT_EQ(on.finished.size(), 1);
    EXPECT_FALSE(on.reset()->isEnabled());
}

TEST(ParameterRow, ARefusedValueStaysWithItsReasonUntilGivenUp) {
    RowOnScreen on(sigma);
    on.row->setValue(50);
    on.row->refuse(QStringLiteral("too wide"), 2);
    EXPECT_EQ(on.box()->value(), 50);
    EXPECT_EQ(on.row->refusal().toStdString(), "too wide");
    EXPECT_EQ(on.box()->accessibleDescription().toStdString(), "too wide");
    EXPECT_NE(on.box()->palette().color(QPalette::Base), on.window.palette().color(QPalette::Base));
    QToolButton* keep = nullptr;
    for (auto* each : on.window.findChildren<QToolButton*>()) {
        if (each->text() == QLatin1String("Keep 2")) keep = each;
    }
    ASSERT_NE(keep, nullptr);
    QTest::mouseClick(keep, Qt::LeftButton);
    EXPECT_EQ(on.row->value(), 2);
    on.row->clearRefusal();
    EXPECT_TRUE(on.row->refusal().isEmpty());
    EXPECT_TRUE(on.box()->accessibleDescription().isEmpty());
    EXPECT_EQ(on.box()->palette().color(QPalette::Base), on.window.palette().color(QPalette::Base));
}

TEST(ParameterRow, ASwitchIsACheckBox) {
    RowOnScreen on(compat);
    auto* check = on.window.findChild<QCheckBox*>();
    ASSERT_NE(check, nullptr);
    EXPECT_EQ(on.slider(), nullptr);
    check->click();
    EXPECT_EQ(on.row->value(), 1);
    EXPECT_EQ(on.finished.size(), 1);
    EXPECT_TRUE(on.reset()->isEnabled());
    on.reset()->click();
    EXPECT_FALSE(check->isChecked());
}

}  // namespace
}  // namespace workbench
