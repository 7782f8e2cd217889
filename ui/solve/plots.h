// SPDX-License-Identifier: MIT
// Makes the plots of page Solve as values: of what core solved, drawn by PlotChart. No widgets.
#pragma once

#include <QList>
#include <QPointF>
#include <QString>
#include <optional>
#include <vector>

#include "core/solve/solve.h"
#include "ui/charts/plot.h"

namespace workbench {

// Shows, in one dimension, computed and exact solution. Heat: at one of its snapshots, with what it began
// with.
Plot solutionPlot(const solve::Solved& solved, int snapshot);
// Plots residual or objective, and the gradient's norm, by iteration. Values that are 0, infinite or NaN are
// left out.
Plot historyPlot(const std::vector<solve::HistoryStep>& history, const QString& heading);
// Errors of each size by h, the lines that are fitted through them, and slopes of 1, 2 and 3 from
// half the coarsest L2 error on.
Plot errorsPlot(const std::vector<solve::Solved>& sizes);
// An error that falls with a power of h.
struct ErrorLine {
    double rate = 0;
    double atOne = 0;  // the error's logarithm where h is 1
    QPointF at(double h) const;
};
// Returns the line through the logarithms that has the least squares; none for fewer than two places.
std::optional<ErrorLine> fittedLine(const QList<QPointF>& errorsByH);

// An objective around the path that was taken.
struct ObjectiveField {
    solve::Rectangle where;
    std::vector<double> values;
};
// Returns the rectangle of a path of two parameters, with room around it.
solve::Rectangle rectangleAround(const std::vector<solve::HistoryStep>& history);
Plot pathPlot(const solve::Solved& solved, const ObjectiveField& field);

}  // namespace workbench
