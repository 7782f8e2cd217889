// SPDX-License-Identifier: MIT
// Each case's p50 as a multiple of copying the same plane in the same run: how far from the least there is.
#pragma once

#include "ui/charts/case_bars_chart.h"

namespace workbench {

class RatioChart : public ResultBarsChart {
    Q_OBJECT
  public:
    explicit RatioChart(QWidget* parent = nullptr);

  protected:
    Bar barOf(const CaseResult& timed) const override;
    QString wordsOf(const CaseResult& timed) const override;
    QString subject() const override;
    QString titleText() const override;
    QString axisTitle() const override;
    QColor barColour() const override;
    std::optional<double> reference() const override { return 1.0; }
    QString referenceText() const override;
};

}  // namespace workbench
