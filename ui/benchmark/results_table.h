// SPDX-License-Identifier: MIT
// The table of a run's results. Failures and throttling have columns where there are any.
#pragma once

#include "ui/benchmark/figures_table.h"

namespace workbench {

class ResultsModel;

class ResultsTable : public FiguresTable {
    Q_OBJECT
  public:
    explicit ResultsTable(ResultsModel& model, QWidget* parent = nullptr);

  protected:
    void followModel() override;
    int wantedWidth(int column) override;

  private:
    ResultsModel& m_results;
};

}  // namespace workbench
