// SPDX-License-Identifier: MIT
#include "ui/benchmark/charts_area.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>

#include "ui/benchmark/charts/distribution_chart.h"
#include "ui/benchmark/charts/latency_chart.h"
#include "ui/benchmark/charts/ratio_chart.h"
#include "ui/benchmark/charts/throughput_chart.h"
#include "ui/benchmark/charts/timeline_chart.h"
#include "ui/window/theme.h"

namespace workbench {
namespace {

constexpr int wideFrom = 780;           // two charts beside each other have room for their names and legends
constexpr double logarithmicFrom = 25;  // the smallest bar would be thinner than its outline

QTabWidget* makeTabs(const QString& name, QWidget* parent) {
    auto* tabs = new QTabWidget(parent);
    tabs->setDocumentMode(true);
    tabs->setAccessibleName(name);
    tabs->tabBar()->setAccessibleName(name);
    tabs->tabBar()->setElideMode(Qt::ElideNone);
    tabs->setUsesScrollButtons(true);
    return tabs;
}

}  // namespace

ChartsArea::ChartsArea(QWidget* parent)
    : QWidget(parent),
      m_latency(new LatencyChart(this)),
      m_throughput(new ThroughputChart(this)),
      m_ratio(new RatioChart(this)),
      m_timeline(new TimelineChart(this)),
      m_distribution(new DistributionChart(this)),
      m_charts{m_latency, m_throughput, m_ratio, m_timeline, m_distribution},
      m_stale(m_charts),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_all(makeTabs(tr("Charts of all cases"), m_splitter)),
      m_one(makeTabs(tr("Charts of the chosen case"), m_splitter)),
      m_log(new QCheckBox(tr("Lo&g scale"), this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_all);
    m_splitter->addWidget(m_one);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);

    for (ChartView* chart : m_charts) {
        m_pages.append(pageOf(chart));
        connect(chart, &ChartView::caseChosen, this, &ChartsArea::caseChosen);
    }
    for (ChartView* chart : m_charts) addTab(m_all, chart);
    m_one->hide();

    m_log->setToolTip(
        tr("Show latencies on a logarithmic axis, so that small and large sizes are both seen"));
    m_log->setAccessibleName(tr("Logarithmic latency axis"));
    m_all->setCornerWidget(m_log, Qt::TopRightCorner);
    connect(m_log, &QCheckBox::toggled, m_latency, &LatencyChart::setLogarithmic);
    connect(m_log, &QCheckBox::clicked, this, [this] { m_userChoseLog = true; });
    const auto seen = [this] {
        m_log->setVisible(m_all->currentWidget() == m_pages.first());
        refreshSeen();
    };
    connect(m_all, &QTabWidget::currentChanged, this, seen);
    connect(m_one, &QTabWidget::currentChanged, this, seen);
}

// Bars grow with their cases and scroll; the other charts take the room there is.
QWidget* ChartsArea::pageOf(ChartView* chart) {
    if (qobject_cast<CaseBarsChart*>(chart) == nullptr) return chart;
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(chart->name());
    scroll->setWidget(chart);
    return scroll;
}

void ChartsArea::addTab(QTabWidget* tabs, ChartView* chart) {
    const int index = tabs->addTab(m_pages[m_charts.indexOf(chart)], chart->name());
    tabs->setTabToolTip(index, chart == m_latency      ? tr("p50 and p95 of every case, ms")
                               : chart == m_throughput ? tr("Million pixels a second against size")
                               : chart == m_ratio      ? tr("p50 as a multiple of copying the plane")
                               : chart == m_timeline   ? tr("Every sample of the chosen case, ms")
                                                       : tr("Histogram of the chosen case, ms"));
}

void ChartsArea::spread(bool wide) {
    if (wide == m_wide) return;
    m_wide = wide;
    ChartView* current = currentChart();
    const bool aboutOne = current == m_timeline || current == m_distribution;
    for (ChartView* chart : {static_cast<ChartView*>(m_timeline), static_cast<ChartView*>(m_distribution)}) {
        addTab(wide ? m_one : m_all, chart);  // takes it from where it was
    }
    m_one->setVisible(wide);
    if (wide && aboutOne) {
        m_one->setCurrentWidget(current);
        m_all->setCurrentIndex(0);
    }
    if (wide) m_splitter->setSizes({width() / 2, width() / 2});
    refreshSeen();
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
    if (chart == m_latency && !m_userChoseLog) m_log->setChecked(m_latency->spread() >= logarithmicFrom);
}

void ChartsArea::refreshSeen() {
    if (!isVisible()) return;
    for (qsizetype i = 0; i < m_charts.size(); ++i) {
        if (m_all->currentWidget() == m_pages[i] || (m_wide && m_one->currentWidget() == m_pages[i])) {
            refresh(m_charts[i]);
        }
    }
}

void ChartsArea::refreshAll() {
    for (ChartView* chart : m_charts) refresh(chart);
}

void ChartsArea::setCurrentChart(ChartView* chart) {
    QWidget* page = m_pages.value(m_charts.indexOf(chart));
    for (QTabWidget* tabs : {m_all, m_one}) {
        if (tabs->indexOf(page) >= 0) tabs->setCurrentWidget(page);
    }
}

ChartView* ChartsArea::currentChart() const {
    return m_charts.value(m_pages.indexOf(m_all->currentWidget()));
}

void ChartsArea::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    spread(event->size().width() >= wideFrom);
}

void ChartsArea::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshSeen();
}

}  // namespace workbench
