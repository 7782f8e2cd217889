// SPDX-License-Identifier: MIT
#include "ui/benchmark/charts_area.h"

#include <QCheckBox>

#include "ui/benchmark/roofline_view.h"
#include "ui/charts/case_bars_chart.h"
#include "ui/charts/distribution_chart.h"
#include "ui/charts/roofline_chart.h"
#include "ui/charts/throughput_chart.h"
#include "ui/charts/timeline_chart.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double logarithmicFrom = 25;  // the smallest bar would be thinner than its outline

}  // namespace

ChartsArea::ChartsArea(QWidget* parent)
    : SideBySideTabs(tr("Charts of all cases"), tr("Charts of the chosen case"), parent),
      m_latency(new LatencyChart(this)),
      m_throughput(new ThroughputChart(this)),
      m_ratio(new RatioChart(this)),
      m_roofline(new RooflineView(this)),
      m_timeline(new TimelineChart(this)),
      m_distribution(new DistributionChart(this)),
      m_charts{m_latency, m_throughput, m_ratio, &m_roofline->chart(), m_timeline, m_distribution},
      m_stale(m_charts),
      m_log(new QCheckBox(tr("Lo&g scale"), this)) {
    for (ChartView* chart : m_charts) {
        m_pages.append(pageOf(chart));
        connect(chart, &ChartView::caseChosen, this, &ChartsArea::caseChosen);
    }
    const QStringList help{tr("p50 and p95 of every case, ms"),
                           tr("Million pixels a second against size"),
                           tr("p50 as a multiple of copying the plane"),
                           tr("Arithmetic reached, under the roofs of memory and arithmetic"),
                           tr("Every sample of the chosen case, ms"),
                           tr("Histogram of the chosen case, ms")};
    for (qsizetype i = 0; i < m_charts.size(); ++i) {
        const bool aboutOne = m_charts[i] == m_timeline || m_charts[i] == m_distribution;
        addPage(m_pages[i], m_charts[i]->name(), help[i], aboutOne);
    }

    m_log->setToolTip(
        tr("Show latencies on a logarithmic axis, so that small and large sizes are both seen"));
    m_log->setAccessibleName(tr("Logarithmic latency axis"));
    setCornerWidget(m_log);
    connect(m_log, &QCheckBox::toggled, m_latency, &LatencyChart::setLogarithmic);
    connect(m_log, &QCheckBox::clicked, this, [this] { m_userChoseLog = true; });
    connect(this, &SideBySideTabs::seenChanged, this, [this] {
        m_log->setVisible(currentPage() == m_pages.first());
        refreshSeen();
    });
}

// Bars grow with their cases and scroll; the other charts take the room there is.
QWidget* ChartsArea::pageOf(ChartView* chart) {
    if (chart == &m_roofline->chart()) return m_roofline;
    if (qobject_cast<CaseBarsChart*>(chart) == nullptr) return chart;
    return inScrollArea(chart, this);
}

void ChartsArea::showResults(const std::vector<CaseResult>& results, int chosen) {
    m_results = &results;
    m_chosen = chosen;
    m_stale = m_charts;
    refreshSeen();
}

void ChartsArea::refresh(ChartView* chart) {
    if (m_results == nullptr || !m_stale.removeOne(chart)) return;
    chart->showResults(*m_results, m_chosen);
    if (chart == m_latency && !m_userChoseLog)
        m_log->setChecked(m_latency->largestOverSmallest() >= logarithmicFrom);
}

void ChartsArea::refreshSeen() {
    if (!isVisible()) return;
    for (qsizetype i = 0; i < m_charts.size(); ++i) {
        if (isSeen(m_pages[i])) refresh(m_charts[i]);
    }
}

void ChartsArea::refreshAll() {
    for (ChartView* chart : m_charts) refresh(chart);
}

void ChartsArea::setCurrentChart(ChartView* chart) {
    setCurrentPage(m_pages.value(m_charts.indexOf(chart)));
}

void ChartsArea::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshSeen();
}

}  // namespace workbench
