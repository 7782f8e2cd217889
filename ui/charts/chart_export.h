// SPDX-License-Identifier: MIT
// Charts as files: drawn in the GUI thread, as they look in the theme in force, with a line that says what
// they were measured on.
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <functional>

class QPainter;

namespace workbench {

class ChartView;

// Returns the size a chart is exported at, before scaling: the case bars as tall as their cases need.
QSize exportSize(const ChartView& view);
QByteArray chartAsPng(ChartView& view, const QString& caption, double scale = 2.0);
QByteArray chartAsSvg(ChartView& view, const QString& caption);
// Returns what `draw` paints on a ground of that size, with the caption below it, as an SVG.
QByteArray drawnAsSvg(const QString& title, const QString& description, const QSize& size,
                      const QString& caption, const std::function<void(QPainter&)>& draw);

}  // namespace workbench
