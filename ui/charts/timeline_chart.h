// SPDX-License-Identifier: MIT
// The chosen case's samples in the order they were taken; those during which the process was preempted are
// marked.
#pragma once

#include <QList>
#include <QPointF>

#include "ui/charts/chart_view.h"

class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace workbench {

// Returns at most 2 * columns points: the least and the greatest of each column, in their order. Fewer stay
// as they are.
QList<QPointF> reducedToColumns(const QList<QPointF>& points, int columns);

class TimelineChart : public ChartView {
    Q_OBJECT
  public:
    explicit TimelineChart(QWidget* parent = nullptr);

    const QList<QPointF>& samples() const { return m_samples; }      // iteration from 1, ms
    const QList<QPointF>& preempted() const { return m_preempted; }  // a part of them

    QString toolTipAt(const QPointF& position) const override;

  protected:
    QString build(const std::vector<CaseResult>& results, int chosen) override;
    void restyle() override;

  private:
    QList<QPointF> m_samples;
    QList<QPointF> m_preempted;
    QLineSeries* m_line;
    QLineSeries* m_median;
    QScatterSeries* m_marks;
    QValueAxis* m_iterationAxis;
    QValueAxis* m_latencyAxis;
};

}  // namespace workbench
