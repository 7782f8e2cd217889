// SPDX-License-Identifier: MIT
// A Plot, drawn: lines, points, slopes and contours over linear or logarithmic axes.
#pragma once

#include "ui/charts/chart_view.h"
#include "ui/charts/plot.h"

class QXYSeries;

namespace workbench {

class PlotChart : public ChartView {
    Q_OBJECT
  public:
    PlotChart(const QString& name, const QString& fileStem, QWidget* parent);

    void showPlot(Plot plot);
    const Plot& plot() const { return m_plot; }

    QString toolTipAt(const QPointF& position) const override;
    int caseAt(const QPointF& position) const override;

  protected:
    void restyle() override;

  private:
    struct Point {
        std::size_t line = 0;
        qsizetype index = 0;
    };
    std::optional<Point> pointAt(const QPointF& position) const;
    QString make();
    void makeAxes();
    void draw(QPainter& painter) const;

    Plot m_plot;
    std::vector<QXYSeries*> m_series;  // of the plot's lines, in order
};

}  // namespace workbench
