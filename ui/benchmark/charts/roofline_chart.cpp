// SPDX-License-Identifier: MIT
#include "ui/benchmark/charts/roofline_chart.h"

#include <QChart>
#include <QFontMetricsF>
#include <QLegend>
#include <QLogValueAxis>
#include <QPainter>
#include <QScatterSeries>
#include <algorithm>
#include <cmath>

#include "ui/benchmark/charts/chart_style.h"
#include "ui/benchmark/figures.h"
#include "ui/session/text.h"
#include "ui/window/theme.h"

namespace workbench {
namespace {

constexpr double reach = 14;  // pixels from a point to a mouse that means it

// The power of 2 or 10 at or beyond a value: the axes begin and end there.
double below(double value) {
    return std::pow(10.0, std::floor(std::log10(value) + 1e-9));
}
double above(double value) {
    return std::pow(10.0, std::ceil(std::log10(value) - 1e-9));
}

// Shapes in turn, so that groups are told apart without their colours.
void drawShape(QPainter& painter, const QPointF& at, int shape, double r) {
    switch (shape % 4) {
        case 0:
            painter.drawEllipse(at, r, r);
            break;
        case 1:
            painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
            break;
        case 2:
            painter.drawPolygon(
                QPolygonF{at + QPointF(0, -1.2 * r), at + QPointF(1.1 * r, r), at + QPointF(-1.1 * r, r)});
            break;
        default:
            painter.drawPolygon(QPolygonF{at + QPointF(0, -1.3 * r), at + QPointF(1.3 * r, 0),
                                          at + QPointF(0, 1.3 * r), at + QPointF(-1.3 * r, 0)});
    }
}

}  // namespace

RooflineChart::RooflineChart(QWidget* parent)
    : ChartView(tr("Roofline"), QStringLiteral("roofline"), parent),
      m_series(new QScatterSeries(this)),
      m_intensityAxis(new QLogValueAxis),
      m_rateAxis(new QLogValueAxis) {
    for (QLogValueAxis* axis : {m_intensityAxis, m_rateAxis}) {
        axis->setBase(10);
        axis->setLabelFormat(QStringLiteral("%.4g"));
    }
    chart()->addAxis(m_intensityAxis, Qt::AlignBottom);
    chart()->addAxis(m_rateAxis, Qt::AlignLeft);
    m_intensityAxis->setTitleText(tr("Arithmetic intensity (operations a byte moved)"));
    m_rateAxis->setTitleText(tr("Reached (GFLOP/s)"));
    chart()->addSeries(m_series);
    m_series->attachAxis(m_intensityAxis);
    m_series->attachAxis(m_rateAxis);
    m_series->setMarkerSize(1);
    chart()->legend()->hide();  // draw() names the groups
    chart()->setTitle(name());
    setOverlay([this](QPainter& painter) { draw(painter); });
}

void RooflineChart::setCeiling(const std::optional<ArithmeticCeiling>& ceiling) {
    m_ceiling = ceiling;
    if (m_points.empty()) return;
    setRanges();
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
    QList<QPointF> places;
    for (const RooflinePoint& p : m_points) places.append(QPointF(p.intensity, p.gflops));
    m_series->replace(places);
    setRanges();
    return describe();
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
        high = std::max({high, p.gflops, p.intensity * m_bandwidth});
    }
    if (m_ceiling) {
        high = std::max(high, m_ceiling->gflops_f32);
        right = std::max(right, m_ceiling->gflops_f32 / m_bandwidth);  // where the roofs meet
    }
    m_left = below(left * 0.8);
    m_right = above(right * 1.5);
    m_low = below(low * 0.8);
    m_high = above(high * 1.3);
    m_intensityAxis->setRange(m_left, m_right);
    m_rateAxis->setRange(m_low, m_high);
}

void RooflineChart::restyle() {
    styleAxis(*m_intensityAxis, true);
    styleAxis(*m_rateAxis, true);
    m_series->setColor(Qt::transparent);
    m_series->setBorderColor(Qt::transparent);
    chart()->legend()->hide();
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
    painter.drawText(at(m_right, most) - QPointF(metrics.horizontalAdvance(name) + 4, 4), name);
}

void RooflineChart::draw(QPainter& painter) const {
    if (m_points.empty()) return;
    const ThemeColours& c = themeColours();
    const QRectF plot = chart()->plotArea();
    painter.setFont(chartFont());
    const QFontMetricsF metrics(chartFont());
    painter.save();
    painter.setClipRect(plot);
    // The slope of memory ends where the highest known roof begins.
    const double top = m_ceiling ? m_ceiling->gflops_f32 : m_high;
    const QPointF from = at(m_left, m_left * m_bandwidth);
    const QPointF to = at(top / m_bandwidth, top);
    painter.setPen(linePen(c.text, 1.8));
    painter.drawLine(from, to);
    if (m_ceiling) {
        drawRoof(painter, m_ceiling->gflops_f32,
                 tr("f32 arithmetic, %1 GFLOP/s").arg(rateText(m_ceiling->gflops_f32)), Qt::SolidLine,
                 c.text);
        drawRoof(painter, m_ceiling->gflops_f64,
                 tr("f64 arithmetic, %1 GFLOP/s").arg(rateText(m_ceiling->gflops_f64)), Qt::DashLine,
                 c.muted);
    }
    painter.restore();

    QStringList groups;
    for (const RooflinePoint& p : m_points) {
        const QString& group = m_groups[qsizetype(p.index)];
        if (!groups.contains(group)) groups.append(group);
    }
    const auto drawPoint = [&](const RooflinePoint& p, bool chosen) {
        const int group = int(groups.indexOf(m_groups[qsizetype(p.index)]));
        painter.setPen(QPen(chosen ? c.text : c.base, chosen ? 2.0 : 1.0));
        painter.setBrush(seriesColour(group));
        drawShape(painter, at(p.intensity, p.gflops), group, chosen ? 6.5 : 4.5);
    };
    const RooflinePoint* chosen = nullptr;
    for (const RooflinePoint& p : m_points) {
        if (int(p.index) == m_chosen) {
            chosen = &p;
        } else {
            drawPoint(p, false);
        }
    }
    if (chosen) drawPoint(*chosen, true);

    // The legend, and the slope's name, where roofs and points leave room: below on the right.
    const double line = metrics.height() + 2;
    const int shown = std::min<int>(int(groups.size()), 10);
    double y = plot.bottom() - line * (shown + 1) - 2;
    double width = metrics.horizontalAdvance(tr("copy %1 GB/s").arg(rateText(m_bandwidth)));
    for (const QString& group : groups) width = std::max(width, metrics.horizontalAdvance(group));
    const double x = plot.right() - width - 26;
    QColor ground = c.base;
    ground.setAlphaF(0.82F);
    painter.fillRect(QRectF(x - 8, y - 2, width + 32, line * (shown + 1) + 2), ground);
    painter.setPen(linePen(c.text, 1.8));
    painter.drawLine(QPointF(x - 4, y + line * 0.75), QPointF(x + 10, y + line * 0.25));
    painter.drawText(QPointF(x + 18, y + metrics.ascent()), tr("copy %1 GB/s").arg(rateText(m_bandwidth)));
    for (int i = 0; i < shown; ++i) {
        y += line;
        painter.setPen(QPen(c.base, 1));
        painter.setBrush(seriesColour(i));
        drawShape(painter, QPointF(x + 3, y + line / 2), i, 4.5);
        painter.setPen(c.text);
        painter.drawText(QPointF(x + 18, y + metrics.ascent()),
                         i + 1 == shown && groups.size() > shown
                             ? tr("and %1 more").arg(groups.size() - shown + 1)
                             : groups[i]);
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
    double best = reach;
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
