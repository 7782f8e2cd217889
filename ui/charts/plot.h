// SPDX-License-Identifier: MIT
// A plot as a value: lines, points and contours over two axes. PlotChart draws it. No widgets.
#pragma once

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QString>
#include <optional>
#include <utility>
#include <vector>

namespace workbench {

struct Plot {
    enum class Style { line, dashes, points, guide, path };
    struct Line {
        QString name;
        QList<QPointF> points;
        Style style = Style::line;
        int colour = 0;  // of the theme's series
        // For points: the case of each, which PlotChart::caseChosen() reports, and its text; both may be
        // empty.
        std::vector<int> cases = {};
        QStringList texts = {};
    };
    // Holds the line of one level, over the whole plot.
    struct Contour {
        double level = 0;
        QList<QLineF> lines;
    };
    QString heading, xTitle, yTitle;
    bool isLogX = false, isLogY = false;
    double logBaseX = 2;                    // of the axis' ticks
    bool countsX = false, countsY = false;  // whole numbers
    std::vector<Line> lines;
    std::vector<Contour> contours;
    // The ranges that the axes include at least.
    std::optional<std::pair<double, double>> xRange, yRange;
    // A band from one y to another, over the whole width, behind the lines.
    std::optional<std::pair<double, double>> yBand;
    int cases = 0;  // what can be chosen, and what is: -1 nothing
    int chosen = -1;
    QString words;    // what it shows, for those who do not see it
    QString nothing;  // why it shows nothing; then it has no lines
};

// Returns a number in few digits, in the C locale.
QString shortNumber(double value);

}  // namespace workbench
