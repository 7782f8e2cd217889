// SPDX-License-Identifier: MIT
// Draws two records in one chart: how the cost of each case changed, its figures side by side, and the
// samples of the chosen one over each other.
#pragma once

#include "ui/charts/case_bars_chart.h"
#include "ui/charts/compared_records.h"
#include "ui/charts/histogram.h"

class QLineSeries;
class QAreaSeries;
class QValueAxis;

namespace workbench {

// Draws each case's cost ratio with its interval and verdict; the margin is a band around 1, the limit a
// line.
class CompareRatioChart : public CaseBarsChart {
    Q_OBJECT
  public:
    explicit CompareRatioChart(QWidget* parent = nullptr);
    void showComparison(const ComparedRecords& compared, int chosen);

  protected:
    std::optional<double> lowEnd() const override { return m_low; }
    void drawBelow(QPainter& painter, const QRectF& plot) const override;
    bool drawsMarks() const override { return true; }
    void drawMark(QPainter& painter, std::size_t bar, const QPointF& at) const override;
    QColor figureColour(std::size_t bar) const override;

  private:
    std::vector<Verdict> m_verdicts;
    double m_margin = 0.05;
    std::optional<double> m_limit;
    double m_low = 0;
};

// The medians, base above new.
class CompareBarsChart : public CaseBarsChart {
    Q_OBJECT
  public:
    explicit CompareBarsChart(QWidget* parent = nullptr);
    void showComparison(const ComparedRecords& compared, int chosen);
};

// The samples of one case in both records, in the same bins.
class CompareDistributionChart : public ChartView {
    Q_OBJECT
  public:
    explicit CompareDistributionChart(QWidget* parent = nullptr);
    void showComparison(const ComparedRecords& compared, int chosen);

    const Histogram& base() const { return m_base; }
    const Histogram& now() const { return m_now; }

    QString toolTipAt(const QPointF& position) const override;

  protected:
    void restyle() override;

  private:
    QString make(const ComparedRecords& compared, std::size_t index);
    void draw(QPainter& painter) const;

    Metric m_metric = Metric::ratio_to_copy;
    Histogram m_base;
    Histogram m_now;
    double m_baseP50 = 0;
    double m_nowP50 = 0;
    QLineSeries* m_baseLine;
    QLineSeries* m_nowLine;
    QLineSeries* m_floor;
    QAreaSeries* m_nowArea;
    QValueAxis* m_valueAxis;
    QValueAxis* m_countAxis;
};

}  // namespace workbench
