// SPDX-License-Identifier: MIT
// Draws each case at its arithmetic intensity and the arithmetic throughput that it reached, under the roofs
// that the measured copy and, where it is known, the measured arithmetic give. Both axes are logarithmic.
#pragma once

#include <QRectF>
#include <optional>

#include "core/benchmark/arithmetic_probe.h"
#include "core/benchmark/roofline.h"
#include "ui/charts/chart_view.h"

class QLogValueAxis;
class QScatterSeries;

namespace workbench {

class RooflineChart : public ChartView {
    Q_OBJECT
  public:
    explicit RooflineChart(QWidget* parent = nullptr);

    // Sets those of the machine that the results are from; absent: not known.
    void setCeiling(const std::optional<ArithmeticCeiling>& ceiling);
    bool hasCeiling() const { return m_ceiling.has_value(); }
    const std::vector<RooflinePoint>& points() const { return m_points; }
    double bandwidth() const { return m_bandwidth; }  // GB/s

    QString toolTipAt(const QPointF& position) const override;
    int caseAt(const QPointF& position) const override;

  protected:
    QString build(const std::vector<CaseResult>& results, int chosen) override;
    void restyle() override;

  private:
    QString describe() const;
    void makeSeries();
    void setRanges();
    void draw(QPainter& painter) const;
    void drawRoof(QPainter& painter, double most, const QString& name, Qt::PenStyle style,
                  const QColor& colour) const;
    QPointF at(double intensity, double gflops) const;
    QString textOf(const RooflinePoint& point) const;

    std::vector<RooflinePoint> m_points;
    QStringList m_names;   // one a result
    QStringList m_groups;  // what shares a colour and a shape, one a result; m_series are of them
    std::optional<ArithmeticCeiling> m_ceiling;
    double m_bandwidth = 0;
    int m_chosen = -1;
    double m_left = 0.1, m_right = 10, m_low = 0.1, m_high = 10;
    std::vector<QScatterSeries*> m_series;
    QLogValueAxis* m_intensityAxis = nullptr;
    QLogValueAxis* m_rateAxis = nullptr;
};

}  // namespace workbench
