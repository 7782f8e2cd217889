// SPDX-License-Identifier: MIT
// A run of the shown kernel: its launch and arguments, what was found, what came out, what was counted.
#pragma once

#include <QList>
#include <QWidget>

#include "ui/kernels/shown_kernel.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;
class QPushButton;

namespace workbench {

class CountBox;
class TextTable;
class ToneLabel;

class RunTab : public QWidget {
    Q_OBJECT
  public:
    explicit RunTab(ShownKernelModel& model, QWidget* parent = nullptr);

    inspect::RunRequest request() const;
    // Puts a launch and arguments into the form, as many as the kernel has parameters.
    void setRequest(const inspect::RunRequest& request);
    QComboBox& inputs() const { return *m_inputs; }
    TextTable& findings() const { return *m_findings; }
    TextTable& results() const { return *m_results; }

  public Q_SLOTS:
    void run();

  Q_SIGNALS:
    void findingChosen(int line, int sourceLine);  // sourceLine 0: not known

  private:
    QWidget* makeForm();
    QWidget* makeResults();
    void showKernel();
    void showRuns();
    void showRun();

    ShownKernelModel& m_model;
    QComboBox* m_inputs = nullptr;
    QLineEdit* m_grid = nullptr;
    QLineEdit* m_block = nullptr;
    CountBox* m_shared = nullptr;
    CountBox* m_seed = nullptr;
    QCheckBox* m_all = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_cancel = nullptr;
    QFormLayout* m_arguments = nullptr;
    QList<QLineEdit*> m_fields;
    ToneLabel* m_said = nullptr;
    TextTable* m_findings = nullptr;
    TextTable* m_results = nullptr;
};

}  // namespace workbench
