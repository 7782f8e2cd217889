// SPDX-License-Identifier: MIT
#include "ui/charts/distribution_chart.h"

#include <QAreaSeries>
#include <QChart>
#include <QFontMetricsF>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {

DistributionChart::DistributionChart(QWidget* parent)
    : ChartView(tr("Distribution"), QStringLiteral("distribution"), parent),
      m_upper(new QLineSeries(this)),
      m_lower(new QLineSeries(this)),
      m_area(new QAreaSeries(m_upper, m_lower)),
      m_latencyAxis(new QValueAxis),
      m_countAxis(new QValueAxis) {
    chart()->addAxis(m_latencyAxis, Qt::AlignBottom);
    chart()->addAxis(m_countAxis, Qt::AlignLeft);
    m_countAxis->setTitleText(tr("Samples"));
    chart()->addSeries(m_area);
    m_area->attachAxis(m_latencyAxis);
    m_area->attachAxis(m_countAxis);
    chart()->legend()->hide();
    setOverlay([this](QPainter& painter) { draw(painter); });
}

QString DistributionChart::build(const std::vector<CaseResult>& results, int chosen) {
    m_histogram = {};
    if (chosen < 0 || chosen >= int(results.size())) {
        setEmptyText(tr("Choose a case in the table to see how its samples are distributed."));
        return emptyText();
    }
    const CaseResult& r = results[std::size_t(chosen)];
    if (!isTimed(r)) {
        setEmptyText(tr("%1 was not timed: %2").arg(toText(r.what.label), toText(r.failure.value_or(""))));
        return emptyText();
    }
    std::vector<double> latencies;
    for (const TimedSample& sample : r.samples) latencies.push_back(sample.latency_ms);
    m_histogram = histogramOf(latencies);
    m_p50 = r.latency.p50;
    m_p95 = r.latency.p95;

    // The outline as an area: a bar chart would have names on its axis instead of numbers.
    const QList<QPointF> outline = outlineOf(m_histogram);
    const double edge = outline.back().x();
    m_upper->replace(outline);
    m_lower->replace({QPointF(m_histogram.low, 0.0), QPointF(edge, 0.0)});

    const TickScale scale = tickScale(m_histogram.low, edge, 5);
    applyScale(*m_latencyAxis, scale);
    applyScale(*m_countAxis, tickScale(0.0, std::ranges::max(m_histogram.counts), 4, true));
    m_latencyAxis->setTitleText(
        m_histogram.clipped == 0
            ? tr("Latency (ms)")
            : tr("Latency (ms); %n longer one(s), up to %1, in the last bin", nullptr, m_histogram.clipped)
                  .arg(msText(r.latency.max)));
    setHeading(toText(r.what.label), true);
    return tr("Histogram of %n sample(s) of %1 in %2 bins from %3 to %4; median %5, p95 %6.", nullptr,
              int(r.samples.size()))
        .arg(toText(r.what.label))
        .arg(m_histogram.counts.size())
        .arg(msWithUnit(m_histogram.low), msWithUnit(edge), msWithUnit(m_p50), msWithUnit(m_p95));
}

void DistributionChart::restyle() {
    const ThemeColours& c = themeColours();
    styleAxis(*m_latencyAxis, false);
    styleAxis(*m_countAxis, true);
    QColor fill = c.accent;
    fill.setAlphaF(0.45F);
    m_area->setBrush(fill);
    m_area->setPen(linePen(c.accent, 1.2));
}

void DistributionChart::draw(QPainter& painter) const {
    const ThemeColours& c = themeColours();
    const QRectF plot = chart()->plotArea();
    painter.setFont(chartFont());
    const QFontMetricsF metrics(chartFont());
    const auto mark = [&](double value, const QString& name, const QColor& colour, bool before) {
        const double x = chart()->mapToPosition(QPointF(value, 0.0), m_area).x();
        if (x < plot.left() - 1 || x > plot.right() + 1) return;
        painter.setPen(linePen(colour, 1.3, Qt::DashLine));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        // On the outer side of the two, so that they never overlap; inside the chart in any case.
        const double width = metrics.horizontalAdvance(name);
        double left = before ? x - width - 4 : x + 4;
        if (left < plot.left()) left = x + 4;
        if (left + width > chart()->rect().right()) left = x - width - 4;
        painter.setPen(colour);
        painter.drawText(QPointF(left, labelBaseline()), name);
    };
    mark(m_p50, tr("p50"), c.text, true);
    mark(m_p95, tr("p95"), c.accent2, false);
}

QString DistributionChart::toolTipAt(const QPointF& position) const {
    if (m_histogram.counts.empty() || !chart()->plotArea().contains(position)) return {};
    const double x = chart()->mapToValue(position, m_area).x();
    const double bin = std::floor((x - m_histogram.low) / m_histogram.width);
    if (bin < 0.0 || bin >= double(m_histogram.counts.size())) return {};
    const double from = m_histogram.low + bin * m_histogram.width;
    const bool last = bin + 1.0 == double(m_histogram.counts.size());
    const QString count = tr("%n sample(s)", nullptr, m_histogram.counts[std::size_t(bin)]);
    return last && m_histogram.clipped > 0
               ? tr("%1 and longer\n%2").arg(msWithUnit(from), count)
               : tr("%1 to %2\n%3").arg(msText(from), msWithUnit(from + m_histogram.width), count);
}

}  // namespace workbench
