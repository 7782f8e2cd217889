// SPDX-License-Identifier: MIT
#include "ui/widgets/theme.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QPalette>
#include <QPixmap>
#include <QPushButton>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTableWidget>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "ui/widgets/icons.h"

namespace workbench {
namespace {

double linear(double v) {
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c) {
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

// WCAG 2.1, 1.4.3.
double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

class ThemeTest : public ::testing::TestWithParam<Theme> {};

TEST_P(ThemeTest, TextIsReadable) {
    applyTheme(*qApp, GetParam());
    const ThemeColours& c = themeColours();
    for (const QColor& ground : {c.window, c.panel, c.base}) {
        EXPECT_GE(contrast(c.text, ground), 7.0) << ground.name().toStdString();
        for (const QColor& words : {c.muted, c.accent, c.warning, c.error, c.success}) {
            EXPECT_GE(contrast(words, ground), 4.5)
                << words.name().toStdString() << " on " << ground.name().toStdString();
        }
    }
    EXPECT_GE(contrast(c.accentText, c.accent), 4.5);
    for (const QColor& line : c.series) EXPECT_GE(contrast(line, c.base), 3.0) << line.name().toStdString();
}

TEST_P(ThemeTest, PaletteFollows) {
    applyTheme(*qApp, GetParam());
    EXPECT_EQ(isDark(), GetParam() == Theme::dark);
    EXPECT_EQ(QApplication::palette().color(QPalette::Text), themeColours().text);
}

TEST_P(ThemeTest, TheButtonOfWhatANarrowToolBarHidesIsSeen) {
    applyTheme(*qApp, Theme::light);
    QToolBar bar;
    for (int i = 0; i < 10; ++i) bar.addAction(QStringLiteral("Open"));
    applyTheme(*qApp, GetParam());
    bar.resize(100, bar.sizeHint().height());
    bar.show();
    const auto* hidden = bar.findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
    ASSERT_TRUE(hidden != nullptr && QTest::qWaitFor([&] { return hidden->isVisible(); }));
    const QImage image = bar.grab(hidden->geometry()).toImage();
    double most = 1;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            most = std::max(most, contrast(image.pixelColor(x, y), themeColours().window));
    }
    EXPECT_GE(most, 3.0);  // WCAG 2.1, 1.4.11
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, ::testing::Values(Theme::light, Theme::dark));

TEST(Theme, DrawsTheArrowOfAMenuBesideTheTextAtHalfHeight) {
    applyTheme(*qApp, Theme::light);
    QToolButton button;
    button.setText(QStringLiteral("Export"));
    button.setPopupMode(QToolButton::InstantPopup);
    const int widthWithout = button.sizeHint().width();
    QMenu menu;
    button.setMenu(&menu);
    ASSERT_GT(button.sizeHint().width(), widthWithout);
    button.resize(button.sizeHint());
    const QImage image = button.grab().toImage();

    // The ground of a button changes from row to row only, so what differs from its row's first pixel is the
    // arrow.
    std::vector<int> rows;
    const int left = image.width() - 16;
    for (int y = 4; y < image.height() - 4; ++y) {
        for (int x = left + 1; x < image.width() - 3; ++x) {
            if (image.pixel(x, y) != image.pixel(left, y)) rows.push_back(y);
        }
    }
    ASSERT_FALSE(rows.empty());
    double middle = 0;
    for (const int y : rows) middle += static_cast<double>(y) / static_cast<double>(rows.size());
    EXPECT_NEAR(middle, image.height() / 2.0, 2.0);
}

TEST(Theme, KeepsTextOfACellApartFromTheFigureBeforeIt) {
    applyTheme(*qApp, Theme::light);
    QTableWidget table(1, 2);
    table.setHorizontalHeaderLabels({QStringLiteral("GB/s"), QStringLiteral("Parity")});
    const auto ink = [&](const QWidget& widget,
                         int height) {  // the columns that have any, from left to right
        const QImage image = const_cast<QWidget&>(widget).grab().toImage();
        std::vector<int> columns;
        for (int x = 1; x < image.width() - 1; ++x) {
            for (int y = 4; y < height - 4; ++y) {
                if (qGray(image.pixel(x, y)) < 100) {
                    columns.push_back(x);
                    break;
                }
            }
        }
        return columns;
    };
    auto* figure = new QTableWidgetItem(QStringLiteral("14.56"));
    figure->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table.setItem(0, 0, figure);
    table.setItem(0, 1, new QTableWidgetItem(QStringLiteral("passed")));
    table.horizontalHeaderItem(0)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table.horizontalHeaderItem(1)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.setShowGrid(false);
    table.clearSelection();
    table.resizeColumnsToContents();
    const int edge = table.columnWidth(0);
    for (const auto& [widget, height] :
         {std::pair<const QWidget*, int>{table.viewport(), table.rowHeight(0)},
          {table.horizontalHeader()->viewport(), table.horizontalHeader()->sizeHint().height()}}) {
        const std::vector<int> columns = ink(*widget, height);
        const auto right = std::lower_bound(columns.begin(), columns.end(), edge + 1);
        ASSERT_NE(right, columns.begin());
        ASSERT_NE(right, columns.end());
        EXPECT_GE(*right - *std::prev(right), 2 * tableCellMargin) << widget->metaObject()->className();
    }
    EXPECT_GE(table.horizontalHeader()->sectionSizeHint(1),
              table.fontMetrics().horizontalAdvance(QStringLiteral("Parity")) + 2 * tableCellMargin);
}

TEST(Theme, LeavesRoomBetweenTheTextOfAPushButtonAndTheArrowOfItsMenu) {
    applyTheme(*qApp, Theme::light);
    const std::unique_ptr<QStyle> fusion(QStyleFactory::create(QStringLiteral("Fusion")));
    QPushButton button(QStringLiteral("Choose a preset"));
    QMenu menu;
    const int widthWithout = button.sizeHint().width();
    button.setMenu(&menu);
    const int indicator = fusion->pixelMetric(QStyle::PM_MenuButtonIndicator, nullptr, &button);
    EXPECT_GE(button.sizeHint().width(), widthWithout + indicator + 4);
}

TEST(Theme, ACutTextOfAComboBoxEndsInAnEllipsis) {
    applyTheme(*qApp, Theme::light);
    const auto drawn = [](const QString& text) {
        QComboBox box;
        box.addItem(text);
        box.resize(90, box.sizeHint().height());
        return box.grab().toImage();
    };
    const QString text = QStringLiteral("Times of a copy");
    bool found = false;
    for (int length = 1; length < text.size(); ++length)
        found = found || drawn(text) == drawn(text.left(length) + QChar(0x2026));
    EXPECT_TRUE(found);
}

TEST(Theme, TellsOfAChange) {
    QSignalSpy changed(&ThemeNotifier::instance(), &ThemeNotifier::changed);
    applyTheme(*qApp, Theme::light);
    EXPECT_EQ(changed.count(), 1);
}

TEST(Theme, EveryIconIsThereAndFollowsTheTheme) {
    for (const char* name :
         {"open",      "save",     "undo",  "redo",  "fit",       "zoom-in", "zoom-out", "actual-size",
          "split",     "original", "grid",  "image", "benchmark", "device",  "add",      "remove",
          "duplicate", "up",       "down",  "reset", "play",      "stop",    "export",   "copy",
          "close",     "warning",  "error", "info",  "refresh"}) {
        applyTheme(*qApp, Theme::dark);
        const QIcon icon = themedIcon(QString::fromLatin1(name));
        ASSERT_FALSE(icon.isNull()) << name;
        const QImage dark = icon.pixmap(32, 32).toImage();
        applyTheme(*qApp, Theme::light);
        const QImage light = icon.pixmap(32, 32).toImage();
        EXPECT_NE(dark, light) << name;
    }
    EXPECT_TRUE(themedIcon(QStringLiteral("no-such-icon")).isNull());
    EXPECT_FALSE(applicationIcon().isNull());
}

}  // namespace
}  // namespace workbench
