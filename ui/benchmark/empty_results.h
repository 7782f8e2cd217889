// SPDX-License-Identifier: MIT
// Shown in place of results while there are none: what a run will measure, and a way to open a record.
#pragma once

#include <QWidget>

#include "ui/benchmark/matrix_choices.h"

class QLabel;

namespace workbench {

class ToneLabel;

class EmptyResults : public QWidget {
    Q_OBJECT
  public:
    explicit EmptyResults(QWidget* parent = nullptr);

    void showRunning();
    void showPlan(const std::expected<ChosenMatrix, std::vector<MatrixProblem>>& plan);

  Q_SIGNALS:
    void openWanted();

  private:
    QLabel* m_title;
    ToneLabel* m_text;
};

}  // namespace workbench
