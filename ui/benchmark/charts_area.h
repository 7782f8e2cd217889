// SPDX-License-Identifier: MIT
// The charts: those about all cases, and those about the chosen one beside them, or behind tabs with them
// where the area is narrow.
#pragma once

#include <QList>
#include <QWidget>
#include <vector>

#include "core/benchmark/benchmark.h"

class QCheckBox;
class QSplitter;
class QTabWidget;

namespace workbench {

class ChartView;
class DistributionChart;
class LatencyChart;
class RatioChart;
class ThroughputChart;
class TimelineChart;

class ChartsArea : public QWidget {
    Q_OBJECT
  public:
    explicit ChartsArea(QWidget* parent = nullptr);

    LatencyChart& latency() const { return *m_latency; }
    ThroughputChart& throughput() const { return *m_throughput; }
    RatioChart& ratio() const { return *m_ratio; }
    TimelineChart& timeline() const { return *m_timeline; }
    DistributionChart& distribution() const { return *m_distribution; }
    const QList<ChartView*>& charts() const { return m_charts; }

    // Keeps the reference: call again whenever either changes. Charts that are not seen wait until they are.
    void showResults(const std::vector<CaseResult>& results, int chosen);
    // All charts as of the last showResults; before drawing one that may not be seen.
    void refreshAll();
    void setCurrentChart(ChartView* chart);
    ChartView* currentChart() const;  // of those about all cases, or the only one seen

  Q_SIGNALS:
    void caseChosen(int index);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* pageOf(ChartView* chart);
    void addTab(QTabWidget* tabs, ChartView* chart);
    void spread(bool wide);
    void refreshSeen();
    void refresh(ChartView* chart);

    LatencyChart* m_latency;
    ThroughputChart* m_throughput;
    RatioChart* m_ratio;
    TimelineChart* m_timeline;
    DistributionChart* m_distribution;
    QList<ChartView*> m_charts;
    QList<ChartView*> m_stale;
    QList<QWidget*> m_pages;  // of m_charts, in their order
    QSplitter* m_splitter;
    QTabWidget* m_all;
    QTabWidget* m_one;
    QCheckBox* m_log;
    bool m_userChoseLog = false;
    bool m_wide = false;
    const std::vector<CaseResult>* m_results = nullptr;
    int m_chosen = -1;
};

}  // namespace workbench
