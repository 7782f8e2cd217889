// SPDX-License-Identifier: MIT
#include "ui/charts/trend_chart.h"

#include <QChart>
#include <QFontMetricsF>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// "2026-01-02 03:04" of "2026-01-02T03:04:05Z".
QString timeText(const std::string& utc) {
    return toText(utc).left(16).replace(QLatin1Char('T'), QLatin1Char(' '));
}

}  // namespace

TrendChart::TrendChart(QWidget* parent)
    : ChartView(tr("Trend"), QStringLiteral("trend"), parent),
      m_line(new QLineSeries(this)),
      m_orderAxis(new QValueAxis),
      m_valueAxis(new QValueAxis) {
    chart()->addAxis(m_orderAxis, Qt::AlignBottom);
    chart()->addAxis(m_valueAxis, Qt::AlignLeft);
    chart()->addSeries(m_line);
    m_line->attachAxis(m_orderAxis);
    m_line->attachAxis(m_valueAxis);
    m_orderAxis->setLabelsVisible(false);  // draw() writes the dates
    m_orderAxis->setTitleText(QStringLiteral(" "));
    m_orderAxis->setTickCount(2);
    chart()->legend()->hide();
    setOverlay([this](QPainter& painter) { draw(painter); });
    connect(this, &ChartView::caseChosen, this, &TrendChart::choosePoint);
}

void TrendChart::showTrend(const QString& key, Metric metric, std::vector<TrendPoint> points,
                           const QString& nothing) {
    m_key = key;
    m_metric = metric;
    m_points = std::move(points);
    m_chosen = int(m_points.size()) - 1;
    present(int(m_points.size()), m_chosen, nothing, [this] { return make(); });
}

void TrendChart::choosePoint(int index) {
    m_chosen = index;
    present(int(m_points.size()), m_chosen, {}, [this] { return make(); });
}

QString TrendChart::make() {
    QList<QPointF> line;
    double low = m_points.front().p50_interval.low;
    double high = m_points.front().p50_interval.high;
    QStringList lines;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const TrendPoint& p = m_points[i];
        line.append(QPointF(double(i), p.p50));
        low = std::min({low, p.p50_interval.low, p.p50});
        high = std::max({high, p.p50_interval.high, p.p50});
        lines.append(textOf(i).replace(QLatin1Char('\n'), QStringLiteral(", ")));
    }
    m_line->replace(line);
    m_orderAxis->setRange(-0.5, double(m_points.size()) - 0.5);
    // From 0 where that costs little room: a trend is no drama because its axis is cut.
    applyScale(*m_valueAxis, tickScale(low > 0.5 * high ? low - 0.15 * (high - low) : 0.0, high, 5));
    m_valueAxis->setTitleText(tr("p50 with its 95 % interval (%1)").arg(toText(unit_of(m_metric))));
    setHeading(m_key);
    return tr("Trend of %1 over %n record(s), oldest first. %2", nullptr, int(m_points.size()))
        .arg(m_key, lines.join(QStringLiteral("; ")));
}

void TrendChart::restyle() {
    styleAxis(*m_orderAxis, false);
    styleAxis(*m_valueAxis, true);
    QColor colour = themeColours().accent;
    colour.setAlphaF(0.55F);
    m_line->setPen(linePen(colour, 1.4));
}

TrendChart::Change TrendChart::changeAt(std::size_t index) const {
    if (index == 0) return Change::none;
    const TrendPoint& before = m_points[index - 1];
    const TrendPoint& p = m_points[index];
    const auto differs = [](const std::string& a, const std::string& b) {
        return !a.empty() && !b.empty() && a != b;
    };
    if (before.threads != p.threads || differs(before.host, p.host)) return Change::machine;
    if (differs(before.input_sha256, p.input_sha256)) return Change::input;
    return differs(before.output_sha256, p.output_sha256) ? Change::output : Change::none;
}

QPointF TrendChart::at(std::size_t index, double value) const {
    return chart()->mapToPosition(QPointF(double(index), value), m_line);
}

void TrendChart::draw(QPainter& painter) const {
    if (m_points.empty() || !emptyText().isEmpty()) return;
    const ThemeColours& c = themeColours();
    const QRectF plot = chart()->plotArea();
    painter.setFont(chartFont());
    const QFontMetricsF metrics(chartFont());
    double free = plot.left();
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const TrendPoint& p = m_points[i];
        const bool chosen = int(i) == m_chosen;
        const QPointF place = at(i, p.p50);
        const QPointF low = at(i, p.p50_interval.low);
        const QPointF high = at(i, p.p50_interval.high);
        const Change change = changeAt(i);
        const QColor colour = change == Change::none ? c.accent : c.accent2;
        painter.setPen(linePen(colour, chosen ? 2.2 : 1.4));
        painter.drawLine(low, high);
        for (const QPointF& end : {low, high}) painter.drawLine(end - QPointF(4, 0), end + QPointF(4, 0));
        painter.setPen(QPen(chosen ? c.text : c.base, chosen ? 2 : 1));
        painter.setBrush(colour);
        const double r = chosen ? 6 : 4.5;
        if (change == Change::none) {
            painter.drawEllipse(place, r, r);
        } else {
            painter.drawPolygon(QPolygonF{place + QPointF(0, -1.3 * r), place + QPointF(1.3 * r, 0),
                                          place + QPointF(0, 1.3 * r), place + QPointF(-1.3 * r, 0)});
        }
        // As many dates as have room.
        const QString date = toText(p.started_utc).left(10);
        const double width = metrics.horizontalAdvance(date);
        const double left = place.x() - width / 2;
        if (left >= free && left + width <= chart()->rect().right()) {
            painter.setPen(chosen ? c.text : c.muted);
            painter.drawText(QPointF(left, plot.bottom() + metrics.ascent() + 6), date);
            free = left + width + 12;
        }
    }
}

QString TrendChart::textOf(std::size_t index) const {
    const TrendPoint& p = m_points[index];
    QStringList parts{timeText(p.started_utc),
                      tr("p50 %1, 95 % interval %2 to %3")
                          .arg(metricValue(p.p50, m_metric), metricValue(p.p50_interval.low, m_metric),
                               metricValue(p.p50_interval.high, m_metric)),
                      tr("p95 %1, %n sample(s)", nullptr, int(p.samples)).arg(metricValue(p.p95, m_metric))};
    if (!p.commit.empty()) parts.append(tr("commit %1").arg(toText(p.commit).left(10)));
    if (!p.host.empty()) parts.append(tr("host %1").arg(toText(p.host)));
    parts.append(tr("%n thread(s)", nullptr, p.threads));
    parts.append(tr("record %1").arg(toText(short_id(p.record_id))));
    switch (changeAt(index)) {
        case Change::machine:
            parts.append(tr("another host or number of threads than the record before"));
            break;
        case Change::input:
            parts.append(tr("another input than the record before"));
            break;
        case Change::output:
            parts.append(tr("the output is not that of the record before"));
            break;
        case Change::none:
            break;
    }
    return parts.join(QLatin1Char('\n'));
}

int TrendChart::caseAt(const QPointF& position) const {
    int nearest = -1;
    double best = pointReach;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF place = at(i, m_points[i].p50);
        const double distance = std::hypot(place.x() - position.x(), place.y() - position.y());
        if (distance < best) {
            best = distance;
            nearest = int(i);
        }
    }
    return nearest;
}

QString TrendChart::toolTipAt(const QPointF& position) const {
    const int index = caseAt(position);
    return index < 0 ? QString() : textOf(std::size_t(index));
}

}  // namespace workbench
