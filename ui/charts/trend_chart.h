// SPDX-License-Identifier: MIT
// Draws one case over time: the median of each record with its interval, oldest first, evenly spaced. Where
// host, threads, input or output are not those of the record before, the point says so by its shape.
#pragma once

#include "core/evidence/history.h"
#include "ui/charts/chart_view.h"

class QLineSeries;
class QValueAxis;

namespace workbench {

class TrendChart : public ChartView {
    Q_OBJECT
  public:
    explicit TrendChart(QWidget* parent = nullptr);

    // Shows a trend. `nothing` is shown where there are no points.
    void showTrend(const QString& key, Metric metric, std::vector<TrendPoint> points, const QString& nothing);
    const std::vector<TrendPoint>& points() const { return m_points; }
    int chosen() const { return m_chosen; }
    void choosePoint(int index);

    QString toolTipAt(const QPointF& position) const override;
    int caseAt(const QPointF& position) const override;  // the index of a point

  protected:
    void restyle() override;

  private:
    enum class Change { none, machine, input, output };
    QString make();
    void draw(QPainter& painter) const;
    Change changeAt(std::size_t index) const;
    QString textOf(std::size_t index) const;
    QPointF at(std::size_t index, double value) const;

    QString m_key;
    Metric m_metric = Metric::ratio_to_copy;
    std::vector<TrendPoint> m_points;
    int m_chosen = -1;
    QLineSeries* m_line;
    QValueAxis* m_orderAxis;
    QValueAxis* m_valueAxis;
};

}  // namespace workbench
