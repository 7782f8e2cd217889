// SPDX-License-Identifier: MIT
#include "ui/charts/timeline_chart.h"

#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int columns = 1500;  // wider than the chart is on any screen it is likely to be on

}  // namespace

QList<QPointF> reducedToColumns(const QList<QPointF>& points, int columnCount) {
    if (columnCount < 1 || points.size() <= 2 * qsizetype(columnCount)) return points;
    QList<QPointF> reduced;
    reduced.reserve(2 * qsizetype(columnCount));
    const auto below = [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); };
    for (qsizetype column = 0; column < columnCount; ++column) {
        const auto from = points.begin() + points.size() * column / columnCount;
        const auto to = points.begin() + points.size() * (column + 1) / columnCount;
        auto [least, greatest] = std::minmax_element(from, to, below);
        if (greatest < least) std::swap(least, greatest);
        reduced.append(*least);
        if (greatest != least) reduced.append(*greatest);
    }
    return reduced;
}

TimelineChart::TimelineChart(QWidget* parent)
    : ChartView(tr("Timeline"), QStringLiteral("timeline"), parent),
      m_line(new QLineSeries),
      m_median(new QLineSeries),
      m_marks(new QScatterSeries),
      m_iterationAxis(new QValueAxis),
      m_latencyAxis(new QValueAxis) {
    chart()->addAxis(m_iterationAxis, Qt::AlignBottom);
    chart()->addAxis(m_latencyAxis, Qt::AlignLeft);
    m_iterationAxis->setTitleText(tr("Iteration"));
    m_latencyAxis->setTitleText(tr("Latency (ms)"));
    m_line->setName(tr("samples"));
    for (QXYSeries* series : std::initializer_list<QXYSeries*>{m_line, m_median, m_marks}) {
        chart()->addSeries(series);
        series->attachAxis(m_iterationAxis);
        series->attachAxis(m_latencyAxis);
    }
    m_marks->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
    m_marks->setMarkerSize(9);
}

QString TimelineChart::build(const std::vector<CaseResult>& results, int chosen) {
    m_samples.clear();
    m_preempted.clear();
    if (chosen < 0 || chosen >= int(results.size())) {
        setEmptyText(tr("Choose a case in the table to see its samples."));
        return emptyText();
    }
    const CaseResult& r = results[std::size_t(chosen)];
    if (!isTimed(r)) {
        setEmptyText(tr("%1 was not timed: %2").arg(toText(r.what.label), toText(r.failure.value_or(""))));
        return emptyText();
    }
    for (std::size_t i = 0; i < r.samples.size(); ++i) {
        m_samples.append(QPointF(double(i) + 1.0, r.samples[i].latency_ms));
        if (r.samples[i].preempted) m_preempted.append(m_samples.last());
    }
    const double count = double(r.samples.size());
    m_line->replace(reducedToColumns(m_samples, columns));
    m_line->setPointsVisible(m_samples.size() <= 200);
    m_marks->replace(reducedToColumns(m_preempted, columns));
    m_median->replace({QPointF(1.0, r.latency.p50), QPointF(std::max(count, 2.0), r.latency.p50)});
    m_median->setName(tr("p50 %1").arg(msWithUnit(r.latency.p50)));
    m_marks->setName(tr("preempted (%1)").arg(m_preempted.size()));
    for (QLegendMarker* marker : chart()->legend()->markers(m_marks)) {
        marker->setVisible(!m_preempted.isEmpty());
    }

    // From the first to the last sample: an axis from 0 would leave a quarter of the chart empty.
    const TickScale iterations = tickScale(1.0, std::max(count, 2.0), 6, true);
    applyScale(*m_iterationAxis, iterations);
    m_iterationAxis->setTickAnchor(0);
    m_iterationAxis->setRange(1.0, std::max(count, 2.0));
    const double pad = std::max((r.latency.max - r.latency.min) * 0.05, r.latency.max * 1e-3);
    applyScale(*m_latencyAxis, tickScale(std::max(0.0, r.latency.min - pad), r.latency.max + pad, 5));
    setHeading(toText(r.what.label));
    return tr("Latency of each of %n iteration(s) of %1: from %2 to %3, median %4; %5 preempted.", nullptr,
              int(r.samples.size()))
        .arg(toText(r.what.label), msWithUnit(r.latency.min), msWithUnit(r.latency.max),
             msWithUnit(r.latency.p50))
        .arg(m_preempted.size());
}

void TimelineChart::restyle() {
    const ThemeColours& c = themeColours();
    styleAxis(*m_iterationAxis, false);
    styleAxis(*m_latencyAxis, true);
    m_line->setPen(linePen(c.accent, 1.4));
    m_median->setPen(linePen(c.text, 1.2, Qt::DashLine));
    m_marks->setColor(c.accent2);
    m_marks->setBorderColor(c.base);
}

QString TimelineChart::toolTipAt(const QPointF& position) const {
    if (m_samples.isEmpty() || !chart()->plotArea().contains(position)) return {};
    const double x = chart()->mapToValue(position, m_line).x();
    const qsizetype index = std::clamp<qsizetype>(qRound64(x) - 1, 0, m_samples.size() - 1);
    const QPointF sample = m_samples[index];
    const bool preempted = m_preempted.contains(sample);
    return tr("Iteration %1\n%2").arg(index + 1).arg(msWithUnit(sample.y())) +
           (preempted ? QLatin1Char('\n') + tr("preempted: the system took a processor away") : QString());
}

}  // namespace workbench
