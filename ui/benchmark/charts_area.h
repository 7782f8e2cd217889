// SPDX-License-Identifier: MIT
// The charts of a run: those about all cases, and those about the chosen one.
#pragma once

#include <QList>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "ui/benchmark/side_by_side_tabs.h"

class QCheckBox;

namespace workbench {

class ChartView;
class DistributionChart;
class LatencyChart;
class RatioChart;
class RooflineView;
class ThroughputChart;
class TimelineChart;

class ChartsArea : public SideBySideTabs {
    Q_OBJECT
  public:
    explicit ChartsArea(QWidget* parent = nullptr);

    LatencyChart& latency() const { return *m_latency; }
    ThroughputChart& throughput() const { return *m_throughput; }
    RatioChart& ratio() const { return *m_ratio; }
    RooflineView& roofline() const { return *m_roofline; }
    TimelineChart& timeline() const { return *m_timeline; }
    DistributionChart& distribution() const { return *m_distribution; }
    const QList<ChartView*>& charts() const { return m_charts; }

    // Keeps the reference: call again whenever either changes. Charts that are not seen wait until they are.
    void showResults(const std::vector<CaseResult>& results, int chosen);
    // Updates all charts to the last showResults(). To be called before one that may not be visible is drawn.
    void refreshAll();
    void setCurrentChart(ChartView* chart);

  Q_SIGNALS:
    void caseChosen(int index);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* pageOf(ChartView* chart);
    void refreshSeen();
    void refresh(ChartView* chart);

    LatencyChart* m_latency;
    ThroughputChart* m_throughput;
    RatioChart* m_ratio;
    RooflineView* m_roofline;
    TimelineChart* m_timeline;
    DistributionChart* m_distribution;
    QList<ChartView*> m_charts;
    QList<ChartView*> m_stale;
    QList<QWidget*> m_pages;  // of m_charts, in their order
    QCheckBox* m_log;
    bool m_userChoseLog = false;
    const std::vector<CaseResult>* m_results = nullptr;
    int m_chosen = -1;
};

}  // namespace workbench
