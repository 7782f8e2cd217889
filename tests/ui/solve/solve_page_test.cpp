// SPDX-License-Identifier: MIT
// Page Solve as a person has it: its form, its buttons, what is shown of each problem.
#include "ui/solve/solve_page.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>

#include "tests/ui/patience.h"
#include "ui/charts/plot_chart.h"
#include "ui/picture/image_view.h"
#include "ui/session/session.h"
#include "ui/solve/map_view.h"
#include "ui/solve/results_view.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

class SolvePageTest : public ::testing::Test {
  protected:
    void SetUp() override {
        applyTheme(*qApp, Theme::light);
        page.resize(1100, 700);
        page.show();
        QApplication::processEvents();
    }
    QPushButton* button(const char* name) { return page.findChild<QPushButton*>(QLatin1String(name)); }
    template <class Widget>
    Widget* named(const QString& accessibleName) {
        for (auto* one : page.findChildren<Widget*>()) {
            if (one->isVisible() && one->accessibleName() == accessibleName) return one;
        }
        ADD_FAILURE() << "no " << accessibleName.toStdString();
        return nullptr;
    }
    void run() {
        button("solveRun")->click();
        ASSERT_TRUE(model().isRunning());
        ASSERT_TRUE(QTest::qWaitFor([this] { return !model().isRunning(); }, patience_ms));
        QApplication::processEvents();
    }
    void choose(SolveProblem problem) {
        page.findChild<QComboBox*>(QStringLiteral("solveProblem"))->setCurrentIndex(int(problem));
    }
    SolveModel& model() { return page.model(); }

    Session session;
    SolvePage page{session};
};

TEST_F(SolvePageTest, TheFormChangesWhatIsSolvedAndShowsItsRange) {
    auto* nodes = named<QSpinBox>(QStringLiteral("Interior nodes"));
    EXPECT_EQ(nodes->minimum(), 1);
    EXPECT_EQ(nodes->maximum(), 1'000'000);
    nodes->setValue(99);
    EXPECT_EQ(model().choices().lineNodes, 99);
    bool isRangeSeen = false;
    for (const QLabel* label : page.findChildren<QLabel*>())
        isRangeSeen |= label->isVisible() && label->text() == QStringLiteral("1 to 1000000");
    EXPECT_TRUE(isRangeSeen);
    choose(SolveProblem::rosenbrock);
    EXPECT_FALSE(nodes->isVisible()) << "a function has no nodes";
    EXPECT_EQ(model().choices().startA, -1.2);
    choose(SolveProblem::poisson1d);
    EXPECT_EQ(nodes->value(), 99) << "what was chosen before is there again";
}

TEST_F(SolvePageTest, EveryControlOfEveryProblemHasAName) {
    for (int problem = 0; problem < solveProblemCount; ++problem) {
        choose(static_cast<SolveProblem>(problem));
        QApplication::processEvents();
        for (const QWidget* widget : page.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
            if (widget->objectName().startsWith(QLatin1String("qt_")) || widget->inherits("QScrollBar"))
                continue;
            if (widget->metaObject() == &QWidget::staticMetaObject) continue;
            EXPECT_FALSE(widget->accessibleName().isEmpty())
                << problem << " " << widget->metaObject()->className() << " "
                << widget->objectName().toStdString();
        }
    }
}

TEST_F(SolvePageTest, RunsAndShowsTheLine) {
    EXPECT_FALSE(button("solveCancel")->isEnabled());
    EXPECT_FALSE(page.results().isVisible());
    model().setChoices({.lineNodes = 15, .lineMethod = solve::Poisson1d::Method::cg, .sizes = 3});
    run();
    EXPECT_TRUE(page.results().isVisible());
    EXPECT_EQ(page.results().solutionChart().plot().lines.size(), 2U) << "exact and computed";
    EXPECT_FALSE(page.results().historyChart().plot().lines.empty());
    EXPECT_FALSE(page.results().errorsChart().plot().lines.empty());
    EXPECT_TRUE(page.results().solutionChart().summary().contains(QStringLiteral("largest error")));
    page.results().tabs().setCurrentIndex(SolveResultsView::errorsTab);
    EXPECT_TRUE(page.results().shownAsSvg(QStringLiteral("c")).contains("<svg"));
    EXPECT_EQ(page.results().shownStem(), QStringLiteral("errors"));
}

TEST_F(SolvePageTest, AHindranceIsSaidAndHoldsBack) {
    choose(SolveProblem::fit);
    EXPECT_FALSE(button("solveRun")->isEnabled());
    const auto* note = page.findChild<QLabel*>(QStringLiteral("solveHindrance"));
    EXPECT_TRUE(note->isVisible());
    EXPECT_TRUE(note->text().contains(QStringLiteral("Open the image")));
    choose(SolveProblem::heat);
    EXPECT_TRUE(button("solveRun")->isEnabled());
    EXPECT_FALSE(note->isVisible());
}

TEST_F(SolvePageTest, TimeSlidesOverHeat) {
    model().setChoices({.problem = SolveProblem::heat, .heatNodes = 15, .dt = 1e-3, .heatSteps = 40});
    run();
    QSlider& slider = page.results().timeSlider();
    EXPECT_TRUE(slider.isVisible());
    EXPECT_EQ(slider.maximum(), 40);
    EXPECT_EQ(slider.value(), 40);
    const auto end = page.results().solutionChart().plot().lines.back().points;
    slider.setValue(0);
    const Plot& start = page.results().solutionChart().plot();
    EXPECT_GT(start.lines.back().points[8].y(), end[8].y()) << "it cools";
    EXPECT_TRUE(start.heading.contains(QStringLiteral("Step 0 of 40")));
    model().setChoices({});
    run();
    EXPECT_FALSE(slider.isVisible());
}

TEST_F(SolvePageTest, MapsZoomAsOneAndReadTheirValues) {
    model().setChoices({.problem = SolveProblem::poisson2d, .squareNodes = 15});
    run();
    SolutionMapView& maps = page.results().maps();
    ASSERT_TRUE(maps.isVisible());
    EXPECT_TRUE(maps.valueText().isEmpty());
    maps.solutionView().showAt(20, {8.5, 8.5});
    EXPECT_EQ(maps.errorView().transform().zoom(), 20);
    EXPECT_EQ(maps.errorView().transform().topLeft(), maps.solutionView().transform().topLeft());
    // The keyboard reads what is in the middle: node 8, 8 of 17, which is x = y = 0.5.
    page.activateWindow();
    maps.errorView().setFocus();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !maps.valueText().isEmpty(); }, patience_ms));
    EXPECT_TRUE(maps.valueText().startsWith(QStringLiteral("x 0.5, y 0.5: computed")))
        << maps.valueText().toStdString();
    EXPECT_TRUE(maps.valueText().contains(QStringLiteral("exact 1, error")))
        << maps.valueText().toStdString();
    maps.solutionView().fit();
    EXPECT_TRUE(maps.errorView().transform().isFitted());
    EXPECT_TRUE(page.results().shownAsSvg({}).contains("<image"));
}

TEST_F(SolvePageTest, ShowsThePathOverContours) {
    model().setChoices(withProblem({}, SolveProblem::quadratic));
    run();
    EXPECT_TRUE(page.results().pathChart().isVisible());
    EXPECT_FALSE(page.results().pathChart().plot().contours.empty());
    EXPECT_FALSE(page.results().tabs().isTabVisible(SolveResultsView::errorsTab));
    EXPECT_TRUE(page.results().shownAsSvg({}).contains("<svg"));
}

TEST_F(SolvePageTest, SaysWhatFailed) {
    model().setChoices(
        {.lineNodes = 200, .lineMethod = solve::Poisson1d::Method::jacobi, .maxIterations = 5});
    run();
    EXPECT_TRUE(
        page.messages().textOf(QStringLiteral("solve")).contains(QStringLiteral("has not converged")));
    page.messages().clear(QStringLiteral("solve"));
    model().setChoices({});
    EXPECT_FALSE(page.messages().has(QStringLiteral("solve"))) << "what was dismissed stays away";
    run();
    EXPECT_FALSE(page.messages().has(QStringLiteral("solve")));
}

TEST_F(SolvePageTest, StopsByItsButton) {
    model().setChoices({.lineNodes = 3000,
                        .lineMethod = solve::Poisson1d::Method::jacobi,
                        .tolerance = 1e-15,
                        .maxIterations = 100'000'000});
    button("solveRun")->click();
    ASSERT_TRUE(button("solveCancel")->isEnabled());
    EXPECT_FALSE(button("solveRun")->isEnabled());
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return !page.results().historyChart().plot().lines.empty(); }, patience_ms));
    button("solveCancel")->click();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !model().isRunning(); }, patience_ms));
    EXPECT_TRUE(button("solveRun")->isEnabled());
    EXPECT_FALSE(button("solveCancel")->isEnabled());
}

TEST_F(SolvePageTest, CopiesItsCommandAndAsksForItsKernels) {
    page.copyCommandLine();
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("iir2d solve poisson1d --n 63"));
    const QSignalSpy asked(&page, &SolvePage::kernelAsked);
    auto* menu = named<QPushButton>(QStringLiteral("Show its kernels"))->menu();
    Q_EMIT menu->aboutToShow();
    ASSERT_FALSE(menu->actions().isEmpty());
    menu->actions().front()->trigger();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("solve/thomas"));
}

}  // namespace
}  // namespace workbench
