// SPDX-License-Identifier: MIT
// Draws the distribution of the chosen case's samples: a histogram with p50 and p95.
#pragma once

#include "ui/charts/chart_view.h"
#include "ui/charts/histogram.h"

class QAreaSeries;
class QLineSeries;
class QValueAxis;

namespace workbench {

class DistributionChart : public ChartView {
    Q_OBJECT
  public:
    explicit DistributionChart(QWidget* parent = nullptr);

    const Histogram& histogram() const { return m_histogram; }

    QString toolTipAt(const QPointF& position) const override;

  protected:
    QString build(const std::vector<CaseResult>& results, int chosen) override;
    void restyle() override;

  private:
    void draw(QPainter& painter) const;

    Histogram m_histogram;
    double m_p50 = 0;
    double m_p95 = 0;
    QLineSeries* m_upper;
    QLineSeries* m_lower;
    QAreaSeries* m_area;
    QValueAxis* m_latencyAxis;
    QValueAxis* m_countAxis;
};

}  // namespace workbench
