// SPDX-License-Identifier: MIT
#include "ui/charts/chart_style.h"

#include <QApplication>
#include <QChart>
#include <QLegend>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/widgets/theme.h"

namespace workbench {

QFont chartFont() {
    QFont font = tabularFont();
    font.setPointSizeF(std::max(7.0, QApplication::font().pointSizeF() - 1.0));
    return font;
}

QFont chartTitleFont() {
    QFont font = QApplication::font();
    font.setBold(true);
    return font;
}

void styleChart(QChart& chart) {
    const ThemeColours& c = themeColours();
    chart.setAnimationOptions(QChart::NoAnimation);
    chart.setBackgroundBrush(c.base);
    chart.setBackgroundPen(Qt::NoPen);
    chart.setBackgroundRoundness(0);
    chart.setDropShadowEnabled(false);
    chart.setPlotAreaBackgroundVisible(false);
    chart.setTitleBrush(c.text);
    chart.setTitleFont(chartTitleFont());
    chart.setLocalizeNumbers(true);
    QLegend* legend = chart.legend();
    legend->setLabelColor(c.text);
    legend->setFont(chartFont());
    legend->setBrush(Qt::NoBrush);
    legend->setPen(Qt::NoPen);
    legend->setMarkerShape(QLegend::MarkerShapeFromSeries);
}

void styleAxis(QAbstractAxis& axis, bool withGrid) {
    const ThemeColours& c = themeColours();
    axis.setLabelsColor(c.muted);
    axis.setLabelsFont(chartFont());
    axis.setTitleBrush(c.muted);
    axis.setTitleFont(chartFont());
    axis.setLinePen(linePen(c.border, 1));
    axis.setGridLineVisible(withGrid);
    axis.setGridLinePen(linePen(c.grid, 1));
    axis.setMinorGridLineVisible(false);
    axis.setShadesVisible(false);
}

QColor seriesColour(int index) {
    const QList<QColor>& colours = themeColours().series;
    return colours[index % colours.size()];
}

QPen linePen(const QColor& colour, double width, Qt::PenStyle style) {
    QPen pen(colour, width, style);
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

TickScale tickScale(double low, double high, int ticks, bool integers) {
    double span = high - low;
    if (!(span > 0.0)) span = std::max(std::abs(high) * 0.1, integers ? 1.0 : 1e-6);
    const double raw = span / std::max(1, ticks);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = power * 10.0;
    for (const double factor : {1.0, 2.0, 5.0}) {
        // A hair above, so that a raw step of 2.0000001 is still 2.
        if (power * factor * 1.000001 >= raw) {
            step = power * factor;
            break;
        }
    }
    if (integers) step = std::max(1.0, std::round(step));
    TickScale scale;
    scale.step = step;
    scale.low = std::floor(low / step + 1e-6) * step;
    scale.high = std::ceil(high / step - 1e-6) * step;
    if (scale.high <= scale.low) scale.high = scale.low + step;
    scale.decimals = std::max(0, -int(std::floor(std::log10(step) + 1e-9)));
    return scale;
}

void applyScale(QValueAxis& axis, const TickScale& scale) {
    axis.setTickType(QValueAxis::TicksDynamic);
    axis.setTickAnchor(scale.low);
    axis.setTickInterval(scale.step);
    // A hair wider, or rounding loses the last tick.
    axis.setRange(scale.low, scale.high + scale.step * 1e-6);
    axis.setLabelFormat(QStringLiteral("%.%1f").arg(scale.decimals));
}

}  // namespace workbench
