// SPDX-License-Identifier: MIT
// What the plots of page Solve show, as values: made of what core solved, drawn by PlotChart. No widgets.
#pragma once

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QString>
#include <optional>
#include <vector>

#include "core/solve/solve.h"

namespace workbench {

struct Plot {
    enum class Style { line, dashes, points, guide, path };
    struct Line {
        QString name;
        QList<QPointF> points;
        Style style = Style::line;
        int colour = 0;  // of the theme's series
    };
    // Of one level, over the whole plot.
    struct Contour {
        double level = 0;
        QList<QLineF> lines;
    };
    QString heading, xTitle, yTitle;
    bool isLogX = false, isLogY = false;
    bool countsX = false;  // whole numbers
    std::vector<Line> lines;
    std::vector<Contour> contours;
    // What the axes reach over at least.
    std::optional<std::pair<double, double>> xRange, yRange;
    QString words;    // what it shows, for those who do not see it
    QString nothing;  // why it shows nothing; then it has no lines
};

// A number in few digits, in the C locale.
QString shortNumber(double value);

// In one dimension: computed and exact solution. Heat: at one of its snapshots, with what it began with.
Plot solutionPlot(const solve::Solved& solved, int snapshot);
// Residual or objective, and the gradient's norm, by iteration. What is 0 or no number is left out.
Plot historyPlot(const std::vector<solve::HistoryStep>& history, const QString& heading);
// Errors of each size by h, the lines that are fitted through them, and slopes of 1, 2 and 3 from
// half the coarsest L2 error on.
Plot errorsPlot(const std::vector<solve::Solved>& sizes);
// The slope of the line through the logarithms that has the least squares; none for fewer than two places.
std::optional<double> fittedRate(const QList<QPointF>& errorsByH);

// An objective around the path that was taken.
struct ObjectiveField {
    solve::Rectangle where;
    std::vector<double> values;
};
// The rectangle of a path of two parameters, with room around it.
solve::Rectangle rectangleAround(const std::vector<solve::HistoryStep>& history);
Plot pathPlot(const solve::Solved& solved, const ObjectiveField& field);

}  // namespace workbench
