// SPDX-License-Identifier: MIT
// Draws throughput against size: one line for each operation, border and precision.
#pragma once

#include <QPointF>
#include <QStringList>

#include "ui/charts/chart_view.h"
#include "ui/charts/line_legend.h"

class QBarCategoryAxis;
class QLineSeries;
class QValueAxis;

namespace workbench {

class ThroughputChart : public ChartView {
    Q_OBJECT
  public:
    explicit ThroughputChart(QWidget* parent = nullptr);

    struct Line {
        QString name;
        int style = 0;  // of the pen: follows the precision
        bool backward = false;
        std::vector<QPointF> points;  // size's position on the axis, Mpix/s
        std::vector<int> cases;       // index of each point's result
    };
    const std::vector<Line>& lines() const { return m_lines; }
    const QStringList& sizes() const { return m_sizes; }
    const LineLegend& legend() const { return m_legend; }

    QString toolTipAt(const QPointF& position) const override;
    int caseAt(const QPointF& position) const override;

  protected:
    QString build(const std::vector<CaseResult>& results, int chosen) override;
    void restyle() override;
    void arrange(const QSizeF& size) override;

  private:
    struct Place {
        std::size_t line = 0;
        std::size_t point = 0;
    };
    std::optional<Place> placeAt(const QPointF& position) const;
    void draw(QPainter& painter) const;

    std::vector<Line> m_lines;
    QStringList m_sizes;
    std::vector<QString> m_toolTips;  // one a result
    std::vector<QLineSeries*> m_series;
    int m_chosen = -1;
    LineLegend m_legend;
    QBarCategoryAxis* m_sizeAxis;
    QValueAxis* m_rateAxis;
};

}  // namespace workbench
