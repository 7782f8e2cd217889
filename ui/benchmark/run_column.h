// SPDX-License-Identifier: MIT
// The left column of the benchmark page: the form of what to measure, which scrolls, above the run panel.
#pragma once

#include <QWidget>

namespace workbench {

class MatrixForm;
class RunPanel;
class Session;

class RunColumn : public QWidget {
    Q_OBJECT
  public:
    explicit RunColumn(Session& session, QWidget* parent = nullptr);

    MatrixForm& form() const { return *m_form; }
    RunPanel& panel() const { return *m_panel; }

  private:
    MatrixForm* m_form;
    RunPanel* m_panel;
};

}  // namespace workbench
