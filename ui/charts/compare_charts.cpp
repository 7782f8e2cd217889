// SPDX-License-Identifier: MIT
#include "ui/charts/compare_charts.h"

#include <QAreaSeries>
#include <QChart>
#include <QFontMetricsF>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "core/benchmark/statistics.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/figures.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

bool isJudged(const CaseComparison& c) {
    return c.verdict != Verdict::not_timed;
}

}  // namespace

CompareRatioChart::CompareRatioChart(QWidget* parent)
    : CaseBarsChart(tr("Change"), QStringLiteral("comparison-change"),
                    {.title = tr("Cost ratio"), .axis = tr("◀ faster · slower ▶"), .reference = 1.0},
                    parent) {}

void CompareRatioChart::showComparison(const ComparedRecords& compared, int chosen) {
    const RecordComparison& all = compared.comparison;
    m_margin = all.settings.margin;
    m_limit = all.settings.max_regression;
    m_verdicts.clear();
    std::vector<Bar> bars;
    QStringList lines;
    m_low = 1.0 - m_margin;
    for (std::size_t i = 0; i < all.cases.size(); ++i) {
        const CaseComparison& c = all.cases[i];
        Bar bar{.name = compared.names[qsizetype(i)]};
        if (isJudged(c)) {
            bar.value = c.cost_ratio;
            bar.whiskerFrom = c.ratio_interval.low;
            bar.whisker = c.ratio_interval.high;
            bar.figure = verdictText(c.verdict);
            m_low = std::min(m_low, c.ratio_interval.low);
            const QString interval = tr("%1 of the base, 95 % interval %2 to %3")
                                         .arg(ratioText(c.cost_ratio), ratioText(c.ratio_interval.low),
                                              ratioText(c.ratio_interval.high));
            bar.toolTip =
                tr("%1\n%2\n%3\np %4")
                    .arg(toText(c.now.key), verdictText(c.verdict), interval, pText(c.test.p_value));
            lines.append(tr("%1: %2, %3").arg(bar.name, toText(name_of(c.verdict)), interval));
        } else {
            bar.failed = true;
            bar.figure = verdictText(c.verdict);
            bar.toolTip = tr("%1\n%2").arg(toText(c.now.key), verdictText(c.verdict));
            lines.append(tr("%1: %2").arg(bar.name, toText(name_of(c.verdict))));
        }
        m_verdicts.push_back(c.verdict);
        bars.push_back(std::move(bar));
    }
    present(int(bars.size()), chosen, tr("Nothing is compared"), [&] {
        buildBars(std::move(bars), compared.common, chosen);
        return tr("Cost of each case as a multiple of the base's, with its interval. %1")
            .arg(lines.join(QStringLiteral("; ")));
    });
}

QColor CompareRatioChart::figureColour(std::size_t bar) const {
    return verdictColour(m_verdicts[bar]);
}

void CompareRatioChart::drawBelow(QPainter& painter, const QRectF& plot) const {
    QColor band = themeColours().muted;
    band.setAlphaF(0.14F);
    const double from = xOf(1.0 / (1.0 + m_margin));
    const double to = xOf(1.0 + m_margin);
    painter.fillRect(QRectF(from, plot.top(), to - from, plot.height()), band);
    if (!m_limit) return;
    const double x = xOf(1.0 + *m_limit);
    if (x >= plot.right()) return;
    painter.setPen(linePen(themeColours().error, 1.2, Qt::DotLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.setFont(chartFont());
    painter.drawText(QPointF(x + 4, plot.bottom() - 4), tr("limit"));
}

void CompareRatioChart::drawMark(QPainter& painter, std::size_t bar, const QPointF& at) const {
    drawVerdict(painter, m_verdicts[bar], at);
}

CompareBarsChart::CompareBarsChart(QWidget* parent)
    : CaseBarsChart(tr("Base beside new"), QStringLiteral("comparison-figures"), {}, parent) {}

void CompareBarsChart::showComparison(const ComparedRecords& compared, int chosen) {
    const Metric metric = compared.comparison.settings.metric;
    look().title = metricText(metric);
    look().axis = tr("%1 p50; hatched: base, filled: new").arg(toText(unit_of(metric)));
    std::vector<Bar> bars;
    QStringList lines;
    const auto& cases = compared.comparison.cases;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const CaseComparison& c = cases[i];
        Bar bar{.name = compared.names[qsizetype(i)]};
        if (isJudged(c)) {
            const QString from = metricValue(c.base.p50, metric);
            const QString to = metricValue(c.now.p50, metric);
            bar.beside = c.base.p50;
            bar.value = c.now.p50;
            bar.whiskerFrom = c.now.p50_interval.low;
            bar.whisker = c.now.p50_interval.high;
            bar.figure = tr("%1 → %2").arg(from, to);
            bar.toolTip = tr("%1\nbase p50 %2, p95 %3\nnew p50 %4, p95 %5")
                              .arg(toText(c.now.key), from, metricValue(c.base.p95, metric), to,
                                   metricValue(c.now.p95, metric));
            lines.append(tr("%1: base %2, new %3").arg(bar.name, from, to));
        } else {
            bar.failed = true;
            bar.figure = tr("not timed");
            bar.toolTip = toText(c.now.key);
            lines.append(tr("%1: not timed").arg(bar.name));
        }
        bars.push_back(std::move(bar));
    }
    present(int(bars.size()), chosen, tr("Nothing is compared"), [&] {
        buildBars(std::move(bars), compared.common, chosen);
        return tr("Bars of the medians, base and new, by case. %1").arg(lines.join(QStringLiteral("; ")));
    });
}

CompareDistributionChart::CompareDistributionChart(QWidget* parent)
    : ChartView(tr("Both distributions"), QStringLiteral("comparison-distribution"), parent),
      m_baseLine(new QLineSeries(this)),
      m_nowLine(new QLineSeries(this)),
      m_floor(new QLineSeries(this)),
      m_nowArea(new QAreaSeries(m_nowLine, m_floor)),
      m_valueAxis(new QValueAxis),
      m_countAxis(new QValueAxis) {
    chart()->addAxis(m_valueAxis, Qt::AlignBottom);
    chart()->addAxis(m_countAxis, Qt::AlignLeft);
    m_countAxis->setTitleText(tr("Samples"));
    m_nowArea->setName(tr("new"));
    m_baseLine->setName(tr("base"));
    for (QAbstractSeries* series :
         {static_cast<QAbstractSeries*>(m_nowArea), static_cast<QAbstractSeries*>(m_baseLine)}) {
        chart()->addSeries(series);
        series->attachAxis(m_valueAxis);
        series->attachAxis(m_countAxis);
    }
    setOverlay([this](QPainter& painter) { draw(painter); });
}

void CompareDistributionChart::showComparison(const ComparedRecords& compared, int chosen) {
    const bool any = chosen >= 0 && chosen < int(compared.comparison.cases.size());
    present(any ? 1 : 0, 0, tr("Choose a case in the table to see its samples in both records."),
            [&] { return make(compared, std::size_t(chosen)); });
}

QString CompareDistributionChart::make(const ComparedRecords& compared, std::size_t index) {
    const CaseComparison& c = compared.comparison.cases[index];
    m_metric = compared.comparison.settings.metric;
    m_base = m_now = {};
    const auto before = shownSamples(*compared.base, c.base.key, m_metric);
    const auto after = shownSamples(*compared.now, c.now.key, m_metric);
    if (before.empty() || after.empty()) {
        setEmptyText(
            tr("%1 has no samples in one of the two records.").arg(compared.names[qsizetype(index)]));
        return emptyText();
    }
    std::vector<double> both = before;
    both.insert(both.end(), after.begin(), after.end());
    const Histogram bins = histogramOf(both);
    m_base = histogramIn(bins, before);
    m_now = histogramIn(bins, after);
    m_baseP50 = c.base.p50;
    m_nowP50 = c.now.p50;

    m_baseLine->replace(outlineOf(m_base));
    m_nowLine->replace(outlineOf(m_now));
    const double end = bins.low + bins.width * double(bins.counts.size());
    m_floor->replace({QPointF(bins.low, 0.0), QPointF(end, 0.0)});
    applyScale(*m_valueAxis, tickScale(bins.low, end, 5));
    const int most = std::max(std::ranges::max(m_base.counts), std::ranges::max(m_now.counts));
    applyScale(*m_countAxis, tickScale(0.0, most, 4, true));
    const QString axis = m_metric == Metric::ratio_to_copy
                             ? metricText(m_metric)
                             : tr("%1 (%2)").arg(metricText(m_metric), toText(unit_of(m_metric)));
    const int beyond = m_base.clipped + m_now.clipped;
    m_valueAxis->setTitleText(beyond == 0 ? axis
                                          : tr("%1; %n beyond, in the last bin", nullptr, beyond).arg(axis));
    setHeading(compared.names[qsizetype(index)], true);
    return tr("Histograms of %1: ").arg(compared.names[qsizetype(index)]) +
           tr("base %n sample(s) with median %1, ", nullptr, int(before.size()))
               .arg(metricValue(m_baseP50, m_metric)) +
           tr("new %n sample(s) with median %1.", nullptr, int(after.size()))
               .arg(metricValue(m_nowP50, m_metric));
}

void CompareDistributionChart::restyle() {
    const ThemeColours& c = themeColours();
    styleAxis(*m_valueAxis, false);
    styleAxis(*m_countAxis, true);
    QColor fill = c.accent;
    fill.setAlphaF(0.40F);
    m_nowArea->setBrush(fill);
    m_nowArea->setPen(linePen(c.accent, 1.2));
    m_baseLine->setPen(linePen(c.accent2, 2.2, Qt::DashLine));
    chart()->legend()->setVisible(true);
    chart()->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);  // an area has no line to show
}

void CompareDistributionChart::draw(QPainter& painter) const {
    if (m_now.counts.empty()) return;
    const ThemeColours& c = themeColours();
    const QRectF plot = chart()->plotArea();
    const QFontMetricsF metrics(chartFont());
    painter.setFont(chartFont());
    const auto mark = [&](double value, const QString& name, const QColor& colour, Qt::PenStyle style,
                          bool before) {
        const double x = chart()->mapToPosition(QPointF(value, 0.0), m_nowArea).x();
        if (x < plot.left() - 1 || x > plot.right() + 1) return;
        painter.setPen(linePen(colour, 1.4, style));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        const double width = metrics.horizontalAdvance(name);
        double left = before ? x - width - 4 : x + 4;
        left = std::clamp(left, plot.left(), std::max(plot.left(), chart()->rect().right() - width));
        painter.drawText(QPointF(left, labelBaseline()), name);
    };
    // On the outer side of the two, so that they do not overlap.
    const bool baseFirst = m_baseP50 <= m_nowP50;
    mark(m_baseP50, tr("base p50"), c.accent2, Qt::DashLine, baseFirst);
    mark(m_nowP50, tr("new p50"), c.accent, Qt::SolidLine, !baseFirst);
}

QString CompareDistributionChart::toolTipAt(const QPointF& position) const {
    if (m_now.counts.empty() || !chart()->plotArea().contains(position)) return {};
    const double x = chart()->mapToValue(position, m_nowArea).x();
    const double bin = std::floor((x - m_now.low) / m_now.width);
    if (bin < 0.0 || bin >= double(m_now.counts.size())) return {};
    const double from = m_now.low + bin * m_now.width;
    return tr("%1 to %2").arg(metricValue(from, m_metric), metricValue(from + m_now.width, m_metric)) +
           QLatin1Char('\n') + tr("base: %n sample(s)", nullptr, m_base.counts[std::size_t(bin)]) +
           QLatin1Char('\n') + tr("new: %n sample(s)", nullptr, m_now.counts[std::size_t(bin)]);
}

}  // namespace workbench
