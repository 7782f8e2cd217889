// SPDX-License-Identifier: MIT
// Shows where a compiled kernel gives wrong results: element by element, and the first statement at fault.
#pragma once

#include <QWidget>

#include "ui/kernels/shown_kernel.h"

class QPushButton;

namespace workbench {

class TextTable;
class ToneLabel;

class MismatchTab : public QWidget {
    Q_OBJECT
  public:
    explicit MismatchTab(ShownKernelModel& model, QWidget* parent = nullptr);

    TextTable& elements() const { return *m_elements; }

  Q_SIGNALS:
    void statementChosen(int line);  // of the source

  private:
    void showMismatch();

    ShownKernelModel& m_model;
    ToneLabel* m_said = nullptr;
    QPushButton* m_statement = nullptr;
    TextTable* m_elements = nullptr;
};

}  // namespace workbench
