// SPDX-License-Identifier: MIT
// p50 of each case as a bar, p95 as a whisker.
#pragma once

#include "ui/charts/case_bars_chart.h"

namespace workbench {

class LatencyChart : public ResultBarsChart {
    Q_OBJECT
  public:
    explicit LatencyChart(QWidget* parent = nullptr);

  protected:
    Bar barOf(const CaseResult& timed) const override;
    QString wordsOf(const CaseResult& timed) const override;
    QString subject() const override;
    QString titleText() const override;
    QString axisTitle() const override;
    QColor barColour() const override;
};

}  // namespace workbench
