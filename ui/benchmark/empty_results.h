// SPDX-License-Identifier: MIT
// Shows, while there are no results, what a run will measure, and a way to open a record.
#pragma once

#include "ui/benchmark/matrix_choices.h"
#include "ui/widgets/empty_page.h"

namespace workbench {

class EmptyResults : public EmptyPage {
    Q_OBJECT
  public:
    explicit EmptyResults(QWidget* parent = nullptr);

    void showRunning();
    void showPlan(const std::expected<ChosenMatrix, std::vector<MatrixProblem>>& plan);

  Q_SIGNALS:
    void openWanted();
};

}  // namespace workbench
