// SPDX-License-Identifier: MIT
#include "ui/charts/roofline_chart.h"

#include <QChart>
#include <QFontMetricsF>
#include <QLegend>
#include <QLegendMarker>
#include <QLogValueAxis>
#include <QPainter>
#include <QScatterSeries>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int mostLegends = 12;

// The power of 2 or 10 at or beyond a value: the axes begin and end there.
double below(double value) {
    return std::pow(10.0, std::floor(std::log10(value) + 1e-9));
}
double above(double value) {
    return std::pow(10.0, std::ceil(std::log10(value) - 1e-9));
}

// Shapes in turn, so that groups are told apart without their colours.
constexpr std::array shapes = {
    QScatterSeries::MarkerShapeCircle,   QScatterSeries::MarkerShapeRectangle,
    QScatterSeries::MarkerShapeTriangle, QScatterSeries::MarkerShapeRotatedRectangle,
    QScatterSeries::MarkerShapePentagon, QScatterSeries::MarkerShapeStar};

}  // namespace

RooflineChart::RooflineChart(QWidget* parent)
    : ChartView(tr("Roofline"), QStringLiteral("roofline"), parent) {
    setHeading(name());
    setOverlay([this](QPainter& painter) { draw(painter); });
}

void RooflineChart::setCeiling(const std::optional<ArithmeticCeiling>& ceiling) {
    m_ceiling = ceiling;
    if (m_points.empty()) return;
    makeSeries();
    restyle();
    setAccessibleDescription(describe());
    updateOverlay();
    viewport()->update();
}

QString RooflineChart::build(const std::vector<CaseResult>& results, int chosen) {
    m_points = roofline_points(results);
    m_bandwidth = bandwidth_ceiling(m_points);
    m_chosen = chosen;
    m_names.clear();
    m_groups.clear();
    const CaseNames names = nameCases(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
        m_names.append(toText(results[i].what.label));
        m_groups.append(names.families[qsizetype(i)].section(QLatin1String(", "), 0, 0));
    }
    if (m_points.empty() || !(m_bandwidth > 0)) {
        m_points.clear();
        setEmptyText(tr("No case was timed whose operations can be counted."));
        return emptyText();
    }
    makeSeries();
    return describe();
}

// Axes anew as well: a logarithmic one keeps the room that the labels of its first range took.
void RooflineChart::makeSeries() {
    chart()->removeAllSeries();
    m_series.clear();
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    m_intensityAxis = new QLogValueAxis;
    m_rateAxis = new QLogValueAxis;
    for (QLogValueAxis* axis : {m_intensityAxis, m_rateAxis}) {
        axis->setBase(10);
        axis->setLabelFormat(QStringLiteral("%.4g"));
    }
    m_intensityAxis->setTitleText(tr("Arithmetic intensity (operations a byte)"));
    m_rateAxis->setTitleText(tr("Reached (GFLOP/s)"));
    setRanges();
    chart()->addAxis(m_intensityAxis, Qt::AlignBottom);
    chart()->addAxis(m_rateAxis, Qt::AlignLeft);

    QStringList groups;
    std::vector<QList<QPointF>> places;
    for (const RooflinePoint& p : m_points) {
        const QString& group = m_groups[qsizetype(p.index)];
        if (!groups.contains(group)) {
            groups.append(group);
            places.emplace_back();
        }
        places[std::size_t(groups.indexOf(group))].append(QPointF(p.intensity, p.gflops));
    }
    for (qsizetype i = 0; i < groups.size(); ++i) {
        auto* series = new QScatterSeries;
        series->setName(groups[i]);
        series->setMarkerShape(shapes[std::size_t(i) % shapes.size()]);
        // A star has less area than the others.
        series->setMarkerSize(series->markerShape() == QScatterSeries::MarkerShapeStar ? 15 : 11);
        series->replace(places[std::size_t(i)]);
        chart()->addSeries(series);
        series->attachAxis(m_intensityAxis);
        series->attachAxis(m_rateAxis);
        m_series.push_back(series);
        // A legend of a hundred groups would leave no chart.
        for (QLegendMarker* marker : chart()->legend()->markers(series)) marker->setVisible(i < mostLegends);
    }
}

QString RooflineChart::describe() const {
    QStringList lines;
    for (const RooflinePoint& p : m_points)
        lines.append(textOf(p).replace(QLatin1Char('\n'), QLatin1Char(' ')));
    return tr("Roofline: the copy gives %1 GB/s; arithmetic: %2. %3")
        .arg(rateText(m_bandwidth),
             m_ceiling ? tr("%1 GFLOP/s in f32, %2 in f64")
                             .arg(rateText(m_ceiling->gflops_f32), rateText(m_ceiling->gflops_f64))
                       : tr("not known"),
             lines.join(QStringLiteral("; ")));
}

void RooflineChart::setRanges() {
    double left = m_points.front().intensity, right = left;
    double low = m_points.front().gflops, high = low;
    for (const RooflinePoint& p : m_points) {
        left = std::min(left, p.intensity);
        right = std::max(right, p.intensity);
        low = std::min(low, p.gflops);
        high = std::max(high, p.gflops);
        if (!m_ceiling) high = std::max(high, p.intensity * m_bandwidth);
    }
    if (m_ceiling) {
        high = std::max(high, m_ceiling->gflops_f32);
        right = std::max(right, m_ceiling->gflops_f32 / m_bandwidth);  // where the roofs meet
    }
    m_left = below(left * 0.8);
    m_right = above(right * 1.5);
    m_low = below(low * 0.8);
    m_high = above(high * 1.3);
    // A hair wider, or rounding loses the labels at the ends.
    m_intensityAxis->setRange(m_left * (1 - 1e-9), m_right * (1 + 1e-9));
    m_rateAxis->setRange(m_low * (1 - 1e-9), m_high * (1 + 1e-9));
}

void RooflineChart::restyle() {
    if (m_series.empty()) return;
    styleAxis(*m_intensityAxis, true);
    styleAxis(*m_rateAxis, true);
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        m_series[i]->setColor(seriesColour(int(i)));
        m_series[i]->setBorderColor(themeColours().base);
    }
    chart()->legend()->setVisible(true);
}

QPointF RooflineChart::at(double intensity, double gflops) const {
    const QRectF plot = chart()->plotArea();
    const double x = std::log(intensity / m_left) / std::log(m_right / m_left);
    const double y = std::log(gflops / m_low) / std::log(m_high / m_low);
    return {plot.left() + x * plot.width(), plot.bottom() - y * plot.height()};
}

void RooflineChart::drawRoof(QPainter& painter, double most, const QString& name, Qt::PenStyle style,
                             const QColor& colour) const {
    const double corner = most / m_bandwidth;
    if (corner >= m_right) return;
    painter.setPen(linePen(colour, 1.6, style));
    painter.drawLine(at(std::max(corner, m_left), most), at(m_right, most));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(colour);
    // Of two roofs the lower one's name is below it: above it, the slope of memory may cross it.
    const double down = style == Qt::SolidLine ? -4 : metrics.ascent() + 3;
    painter.drawText(at(m_right, most) + QPointF(-metrics.horizontalAdvance(name) - 4, down), name);
}

void RooflineChart::draw(QPainter& painter) const {
    if (m_points.empty()) return;
    const ThemeColours& c = themeColours();
    const QRectF plot = chart()->plotArea();
    painter.setFont(chartFont());
    painter.save();
    painter.setClipRect(plot);
    // The slope of memory ends where the highest known roof begins.
    const double top = m_ceiling ? m_ceiling->gflops_f32 : m_high;
    const double begin = std::max(m_left, m_low / m_bandwidth);  // where it enters the plot, with its name
    const QPointF from = at(begin, begin * m_bandwidth);
    const QPointF to = at(top / m_bandwidth, top);
    painter.setPen(linePen(c.text, 1.8));
    painter.drawLine(from, to);
    painter.save();
    painter.translate(from);
    painter.rotate(-QLineF(from, to).angle());
    painter.drawText(QPointF(10, -5), tr("copy, %1 GB/s").arg(rateText(m_bandwidth)));
    painter.restore();
    if (m_ceiling) {
        drawRoof(painter, m_ceiling->gflops_f32,
                 tr("f32 arithmetic, %1 GFLOP/s").arg(rateText(m_ceiling->gflops_f32)), Qt::SolidLine,
                 c.text);
        drawRoof(painter, m_ceiling->gflops_f64,
                 tr("f64 arithmetic, %1 GFLOP/s").arg(rateText(m_ceiling->gflops_f64)), Qt::DashLine,
                 c.muted);
    }
    painter.restore();

    for (const RooflinePoint& p : m_points) {
        if (int(p.index) != m_chosen) continue;
        painter.setPen(QPen(c.text, 2.0));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(at(p.intensity, p.gflops), 8, 8);
    }
}

QString RooflineChart::textOf(const RooflinePoint& p) const {
    QString text = tr("%1\n%2 operations a byte, %3 GFLOP/s\n%4 % of what the copy's %5 GB/s allows")
                       .arg(m_names[qsizetype(p.index)], rateText(p.intensity), rateText(p.gflops))
                       .arg(100 * p.of_bandwidth_ceiling, 0, 'f', 0)
                       .arg(rateText(p.copy_gb_per_s));
    if (m_ceiling) {
        const double most = p.in_double ? m_ceiling->gflops_f64 : m_ceiling->gflops_f32;
        text += tr("\n%1 % of the arithmetic ceiling in %2")
                    .arg(100 * p.gflops / most, 0, 'f', 1)
                    .arg(p.in_double ? QStringLiteral("f64") : QStringLiteral("f32"));
    }
    return text;
}

int RooflineChart::caseAt(const QPointF& position) const {
    int nearest = -1;
    double best = pointReach;
    for (const RooflinePoint& p : m_points) {
        const QPointF place = at(p.intensity, p.gflops);
        const double distance = std::hypot(place.x() - position.x(), place.y() - position.y());
        if (distance < best) {
            best = distance;
            nearest = int(p.index);
        }
    }
    return nearest;
}

QString RooflineChart::toolTipAt(const QPointF& position) const {
    const int index = caseAt(position);
    const auto found = std::ranges::find_if(m_points, [&](const auto& p) { return int(p.index) == index; });
    return found == m_points.end() ? QString() : textOf(*found);
}

}  // namespace workbench
