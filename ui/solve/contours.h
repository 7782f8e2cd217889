// SPDX-License-Identifier: MIT
// Computes lines of equal value over a rectangle. Pure.
#pragma once

#include <QLineF>
#include <QList>
#include <vector>

#include "core/solve/solve.h"

namespace workbench {

// Levels that the rectangle is divided by, more finely where values are low: below level k of n there is the
// share (k / (n + 1))^2 of the values. Rising, none twice.
std::vector<double> contourLevels(std::vector<double> values, int count);

// Returns the pieces of the lines, one through each cell that a level crosses (W. Lorensen and H. Cline,
// "Marching cubes", 1987, in two dimensions; in saddles as the mean of the corners says).
QList<QLineF> contourLines(const std::vector<double>& values, const solve::Rectangle& where, double level);

}  // namespace workbench
