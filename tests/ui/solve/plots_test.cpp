// SPDX-License-Identifier: MIT
// What the plots of page Solve are made of: values alone.
#include "ui/solve/plots.h"

#include <gmock/gmock.h>

#include <cmath>

#include "ui/solve/contours.h"
#include "ui/solve/solution_map.h"

namespace workbench {
namespace {

TEST(SolvePlots, FitTheSlopeOfErrors) {
    QList<QPointF> cubic, one;
    for (const double h : {0.1, 0.05, 0.02}) cubic << QPointF(h, 7 * h * h * h);
    const auto line = fittedLine(cubic);
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->rate, 3, 1e-12);
    EXPECT_NEAR(line->at(0.05).y(), 7 * 0.05 * 0.05 * 0.05, 1e-15);
    one << cubic.front();
    EXPECT_FALSE(fittedLine(one));
    one << cubic.front();
    EXPECT_FALSE(fittedLine(one)) << "of one h";
}

TEST(SolvePlots, ShowErrorsWithTheirRatesAndThreeSlopes) {
    std::vector<solve::Solved> sizes(2);
    EXPECT_FALSE(errorsPlot({sizes.front()}).nothing.isEmpty());
    sizes[0] = {.h = 0.25, .errors = {.max = 0.16, .l2 = 0.08, .h1 = 0.4}};
    sizes[1] = {.h = 0.125, .errors = {.max = 0.04, .l2 = 0.02, .h1 = 0.2}};
    const Plot plot = errorsPlot(sizes);
    EXPECT_TRUE(plot.isLogX && plot.isLogY);
    QStringList names;
    for (const Plot::Line& line : plot.lines) names << line.name;
    for (const char* name :
         {"Largest, rate 2.00", "L2, rate 2.00", "H1, rate 1.00", "Slope 1", "Slope 2", "Slope 3"})
        EXPECT_TRUE(names.contains(QLatin1String(name))) << name;
    // Each begins at half the coarsest L2 error and falls with its power.
    const Plot::Line& third = plot.lines.back();
    EXPECT_EQ(third.points.front(), QPointF(0.25, 0.04));
    EXPECT_NEAR(third.points.back().y(), 0.005, 1e-15);
}

TEST(SolvePlots, LeaveOutWhatALogarithmCannotShow) {
    const Plot plot = historyPlot({{.iteration = 0, .residual = 1},
                                   {.iteration = 1, .residual = 0.0},
                                   {.iteration = 2, .residual = 1e-3}},
                                  QStringLiteral("x"));
    ASSERT_EQ(plot.lines.size(), 1U);
    EXPECT_EQ(plot.lines[0].points, (QList<QPointF>{{0, 1}, {2, 1e-3}}));
    EXPECT_FALSE(historyPlot({{.iteration = 0, .residual = 0.0}}, {}).nothing.isEmpty());
}

TEST(SolvePlots, KeepTheHeightsOfLinesWithManyNodes) {
    solve::Solved solved;
    for (int k = 0; k <= 100'000; ++k) {
        solved.solution.x.push_back(k / 100'000.0);
        solved.solution.computed.push_back(k == 77'777 ? 5 : 0);
    }
    const Plot plot = solutionPlot(solved, 0);
    ASSERT_EQ(plot.lines.size(), 1U);
    EXPECT_LE(plot.lines[0].points.size(), 4000);
    double highest = 0;
    for (const QPointF& p : plot.lines[0].points) highest = std::max(highest, p.y());
    EXPECT_EQ(highest, 5) << "one node of many is seen";
}

TEST(SolvePlots, ShowHeatAtATimeOverAnAxisOfAllTimes) {
    solve::Solved solved;
    solved.solution = {.x = {0, 0.5, 1}, .computed = {0, 1, 0}, .exact = {0, 1.1, 0}};
    solved.snapshots = {{.step = 0, .time = 0, .computed = {0, 4, 0}, .exact = {0, 4, 0}},
                        {.step = 7, .time = 0.7, .computed = {0, 1, 0}, .exact = {0, 1.1, 0}}};
    const Plot plot = solutionPlot(solved, 1);
    EXPECT_TRUE(plot.heading.contains(QStringLiteral("0.7"))) << plot.heading.toStdString();
    EXPECT_EQ(plot.lines.front().points[1].y(), 4) << "what it began with";
    EXPECT_EQ(plot.lines.back().points[1].y(), 1);
    EXPECT_EQ(plot.yRange->second, 4);
    EXPECT_EQ(solutionPlot(solved, 99).lines.back().points, plot.lines.back().points);
}

TEST(Contours, ArePiecesOfTheLineOfTheirLevel) {
    // x^2 + y^2 over [-1, 1]: the level 0.25 is a circle of radius 0.5.
    const solve::Rectangle where{.x = {-1, 1}, .y = {-1, 1}, .columns = 41, .rows = 41};
    std::vector<double> values;
    for (int row = 0; row < 41; ++row) {
        for (int column = 0; column < 41; ++column) {
            const double x = -1 + column / 20.0, y = -1 + row / 20.0;
            values.push_back(x * x + y * y);
        }
    }
    double length = 0;
    for (const QLineF& piece : contourLines(values, where, 0.25)) {
        EXPECT_NEAR(std::hypot(piece.x1(), piece.y1()), 0.5, 2e-3);
        length += piece.length();
    }
    EXPECT_NEAR(length, 3.1416, 0.01);
    EXPECT_TRUE(contourLines(values, where, 3).isEmpty());
    const auto levels = contourLevels(values, 9);
    ASSERT_EQ(levels.size(), 9U);
    EXPECT_TRUE(std::ranges::is_sorted(levels));
    EXPECT_TRUE(contourLevels({1, 1, 1}, 9).empty());
}

TEST(SolutionMap, HasTheLowestRowOfNodesAtItsBottom) {
    const SolutionMap map = makeSolutionMap({0, 1, 2, 3, 4, 5, 6, 7, 8}, false);
    EXPECT_EQ(map.side, 3);
    EXPECT_EQ(map.low, 0);
    EXPECT_EQ(map.high, 8);
    EXPECT_EQ(map.nodeAt({0, 2}), 0U);
    EXPECT_EQ(map.nodeAt({2, 0}), 8U);
    const QColor top = mapColour(1, false);
    EXPECT_NEAR(map.image->pixels.at(2, 0, 0), top.redF(), 1e-3);
    EXPECT_NEAR(map.image->pixels.at(2, 0, 2), top.blueF(), 1e-3);
}

TEST(SolutionMap, HasAsMuchBelowZeroAsAboveWhereItHasASign) {
    const SolutionMap map = makeSolutionMap({-1, 0, 0, 3}, true);
    EXPECT_EQ(map.low, -3);
    EXPECT_EQ(map.high, 3);
    EXPECT_NEAR(map.image->pixels.at(1, 1, 0), mapColour(0.5, true).redF(), 1e-3);
    const double nan = std::nan("");
    const SolutionMap broken = makeSolutionMap({nan, 0, 1, 2}, false);
    EXPECT_EQ(broken.high, 2);
    EXPECT_TRUE(std::isnan(broken.image->pixels.at(0, 1, 0)));
}

TEST(SolutionMap, TakesEveryFewNodesOfManyRows) {
    const std::size_t side = 4097;
    std::vector<double> values(side * side);
    values.back() = 1;
    const SolutionMap map = makeSolutionMap(values, false);
    EXPECT_EQ(map.stride, 2);
    EXPECT_EQ(map.image->pixels.width(), 2049);
    EXPECT_EQ(map.nodeAt({2048, 0}), side * side - 1);
}

}  // namespace
}  // namespace workbench
