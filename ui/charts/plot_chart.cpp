// SPDX-License-Identifier: MIT
#include "ui/charts/plot_chart.h"

#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QPainter>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int mostLogTicks = 8;
constexpr double markerSize = 9;

struct PlotExtent {
    double low = 0, high = 1;
    bool any = false;
    void reach(double value) {
        low = any ? std::min(low, value) : value;
        high = any ? std::max(high, value) : value;
        any = true;
    }
};

QAbstractAxis* logAxis(const PlotExtent& extent, double base) {
    auto* axis = new QLogValueAxis;
    const double low = std::floor(std::log(extent.low) / std::log(base) + 1e-9);
    double high = std::ceil(std::log(extent.high) / std::log(base) - 1e-9);
    if (high <= low) high = low + 1;
    // Over many decades every second, third and so on has a label.
    const double step = std::max(1.0, std::ceil((high - low) / mostLogTicks));
    axis->setBase(std::pow(base, step));
    // A hair wider, or rounding loses the first or last label.
    axis->setRange(std::pow(base, std::floor(low / step) * step) * (1 - 1e-9),
                   std::pow(base, std::ceil(high / step) * step) * (1 + 1e-9));
    axis->setLabelFormat(QStringLiteral("%.3g"));
    return axis;
}

}  // namespace

PlotChart::PlotChart(const QString& name, const QString& fileStem, QWidget* parent)
    : ChartView(name, fileStem, parent) {
    setOverlay([this](QPainter& painter) { draw(painter); });
}

void PlotChart::showPlot(Plot plot) {
    m_plot = std::move(plot);
    if (m_plot.lines.empty()) {
        chart()->removeAllSeries();
        m_series.clear();
    }
    const int cases = m_plot.lines.empty() ? 0 : std::max(int(m_plot.lines.size()), m_plot.cases);
    present(cases, m_plot.cases > 0 ? m_plot.chosen : -1, m_plot.nothing, [this] { return make(); });
}

// Axes anew as well: a logarithmic one keeps the room that the labels of its first range took.
QString PlotChart::make() {
    chart()->removeAllSeries();
    m_series.clear();
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    makeAxes();
    for (const Plot::Line& line : m_plot.lines) {
        QXYSeries* series = nullptr;
        if (line.style == Plot::Style::points) {
            auto* points = new QScatterSeries;
            points->setMarkerSize(markerSize);
            series = points;
        } else {
            series = new QLineSeries;
        }
        series->setName(line.name);
        series->replace(line.points);
        chart()->addSeries(series);
        for (QAbstractAxis* axis : chart()->axes()) series->attachAxis(axis);
        for (QLegendMarker* marker : chart()->legend()->markers(series))
            marker->setVisible(!line.name.isEmpty());
        m_series.push_back(series);
    }
    setHeading(m_plot.heading);
    return m_plot.words;
}

void PlotChart::makeAxes() {
    PlotExtent x, y;
    for (const Plot::Line& line : m_plot.lines) {
        for (const QPointF& point : line.points) {
            x.reach(point.x());
            y.reach(point.y());
        }
    }
    const auto widen = [](PlotExtent& extent, const auto& range) {
        if (!range) return;
        extent.reach(range->first);
        extent.reach(range->second);
    };
    widen(x, m_plot.xRange);
    widen(y, m_plot.yRange);
    const auto linear = [](const PlotExtent& extent, bool integers) {
        auto* axis = new QValueAxis;
        applyScale(*axis, tickScale(extent.low, extent.high, 5, integers));
        return axis;
    };
    QAbstractAxis* across = m_plot.isLogX ? logAxis(x, m_plot.logBaseX) : linear(x, m_plot.countsX);
    QAbstractAxis* up = m_plot.isLogY ? logAxis(y, 10) : linear(y, m_plot.countsY);
    // A path fills its contours: the axes end where they do.
    if (!m_plot.contours.empty()) {
        across->setRange(x.low, x.high);
        up->setRange(y.low, y.high);
    }
    across->setTitleText(m_plot.xTitle);
    up->setTitleText(m_plot.yTitle);
    chart()->addAxis(across, Qt::AlignBottom);
    chart()->addAxis(up, Qt::AlignLeft);
}

void PlotChart::restyle() {
    const ThemeColours& c = themeColours();
    for (QAbstractAxis* axis : chart()->axes()) styleAxis(*axis, m_plot.contours.empty());
    for (std::size_t k = 0; k < m_series.size(); ++k) {
        const Plot::Line& line = m_plot.lines[k];
        const QColor colour = seriesColour(line.colour);
        // Between one point and no other there is no line.
        if (line.points.size() == 1 && line.style != Plot::Style::points) {
            m_series[k]->setPointsVisible(true);
            m_series[k]->setMarkerSize(markerSize / 2);  // a radius, of a line
        }
        switch (line.style) {
            case Plot::Style::line:
                m_series[k]->setPen(linePen(colour, 2));
                break;
            case Plot::Style::dashes:
                m_series[k]->setPen(linePen(colour, 2, Qt::DashLine));
                break;
            case Plot::Style::path:
                m_series[k]->setPen(linePen(colour, 1.6));
                m_series[k]->setPointsVisible(line.points.size() <= 400);
                break;
            case Plot::Style::guide:
                m_series[k]->setPen(linePen(c.muted, 1,
                                            line.colour == 1   ? Qt::DotLine
                                            : line.colour == 2 ? Qt::DashLine
                                                               : Qt::DashDotLine));
                break;
            case Plot::Style::points:
                m_series[k]->setPen(linePen(c.base, 1));
                m_series[k]->setBrush(colour);
                m_series[k]->setColor(colour);
                break;
        }
    }
}

void PlotChart::draw(QPainter& painter) const {
    if (m_series.empty() || (m_plot.contours.empty() && !m_plot.yBand)) return;
    painter.save();
    painter.setClipRect(chart()->plotArea());
    const QList<QPointF>& first = m_plot.lines.front().points;
    if (m_plot.yBand && !first.isEmpty()) {
        const auto [low, high] = *m_plot.yBand;
        const double x = first.front().x();
        const QRectF area = chart()->plotArea();
        const double top = chart()->mapToPosition({x, high}, m_series.front()).y();
        const double bottom = chart()->mapToPosition({x, low}, m_series.front()).y();
        QColor fill = themeColours().muted;
        fill.setAlphaF(0.2F);
        painter.fillRect(QRectF(area.left(), top, area.width(), bottom - top), fill);
    }
    for (std::size_t k = 0; k < m_plot.contours.size(); ++k) {
        QColor colour = themeColours().muted;
        colour.setAlphaF(0.35F + 0.4F * float(k) / float(m_plot.contours.size()));
        painter.setPen(linePen(colour, 1));
        QList<QLineF> lines;
        lines.reserve(m_plot.contours[k].lines.size());
        for (const QLineF& line : m_plot.contours[k].lines)
            lines << QLineF(chart()->mapToPosition(line.p1(), m_series.front()),
                            chart()->mapToPosition(line.p2(), m_series.front()));
        painter.drawLines(lines);
    }
    painter.restore();
}

std::optional<PlotChart::Point> PlotChart::pointAt(const QPointF& position) const {
    double best = pointReach;
    std::optional<Point> found;
    for (std::size_t k = 0; k < m_series.size(); ++k) {
        const Plot::Line& line = m_plot.lines[k];
        if (line.style == Plot::Style::guide) continue;
        for (qsizetype i = 0; i < line.points.size(); ++i) {
            const QPointF place = chart()->mapToPosition(line.points[i], m_series[k]);
            const double distance = std::hypot(place.x() - position.x(), place.y() - position.y());
            if (distance >= best) continue;
            best = distance;
            found = Point{k, i};
        }
    }
    return found;
}

QString PlotChart::toolTipAt(const QPointF& position) const {
    const auto found = pointAt(position);
    if (!found) return {};
    const Plot::Line& line = m_plot.lines[found->line];
    const QPointF& point = line.points[found->index];
    const QString text = line.texts.value(found->index, line.name);
    const auto number = [](double value, bool isCount) {
        return isCount ? QString::number(value, 'f', 0) : shortNumber(value);
    };
    return QStringLiteral("%1\n%2: %3\n%4: %5")
        .arg(text, m_plot.xTitle, number(point.x(), m_plot.countsX), m_plot.yTitle,
             number(point.y(), m_plot.countsY))
        .trimmed();
}

int PlotChart::caseAt(const QPointF& position) const {
    const auto found = pointAt(position);
    if (!found) return -1;
    const auto& cases = m_plot.lines[found->line].cases;
    const auto index = std::size_t(found->index);
    return index < cases.size() ? cases[index] : -1;
}

}  // namespace workbench
