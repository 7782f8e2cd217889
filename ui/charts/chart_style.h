// SPDX-License-Identifier: MIT
// The look of every chart: the theme's colours, readable ticks. GUI thread only.
#pragma once

#include <QColor>
#include <QFont>
#include <QPen>
#include <QString>

class QAbstractAxis;
class QChart;
class QValueAxis;

namespace workbench {

// Pixels from a point to a mouse that means it.
inline constexpr double pointReach = 14;

QFont chartFont();  // of ticks, legends and labels
QFont chartTitleFont();

void styleChart(QChart& chart);
void styleAxis(QAbstractAxis& axis, bool withGrid);

QColor seriesColour(int index);  // cycles
QPen linePen(const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine);

// A range that begins and ends at a tick, ticks at 1, 2 or 5 times a power of ten.
struct TickScale {
    double low = 0;
    double high = 1;
    double step = 1;
    int decimals = 0;
};
// Returns a scale of about `ticks` steps. Precondition: both finite, low <= high.
TickScale tickScale(double low, double high, int ticks, bool integers = false);
void applyScale(QValueAxis& axis, const TickScale& scale);

}  // namespace workbench
