// SPDX-License-Identifier: MIT
// The page Solve: numerical problems whose inner loops are synthesised kernels. What is chosen stands left,
// what was solved right.
#pragma once

#include <QWidget>

#include "ui/solve/solve_model.h"

class QMenu;
class QStackedWidget;
class QToolButton;

namespace workbench {

class ElidedLabel;
class MessageArea;
class Session;
class SolveResultsView;
class WorkPanel;

class SolvePage : public QWidget {
    Q_OBJECT
  public:
    explicit SolvePage(Session& session, QWidget* parent = nullptr);
    ~SolvePage() override;

    SolveModel& model() const { return *m_model; }
    SolveResultsView& results() const { return *m_results; }
    MessageArea& messages() const { return *m_messages; }
    bool isRunning() const { return m_model->isRunning(); }

  public Q_SLOTS:
    void copyCommandLine();

  Q_SIGNALS:
    // Asks to show a kernel of the problem, by its name as `iir2d synth show` takes it: "solve/thomas".
    void kernelAsked(const QString& name);

  private:
    QWidget* makeLeft();
    QWidget* makeRight();
    void showState();
    void showFigures();
    void fillKernels();
    void exportAs(const QString& title, const QString& suffix, const QString& filter,
                  const std::function<void(const QString&)>& write);

    Session& m_session;
    SolveModel* m_model;
    MessageArea* m_messages;
    SolveResultsView* m_results = nullptr;
    QStackedWidget* m_stack = nullptr;
    ElidedLabel* m_figures = nullptr;
    WorkPanel* m_run = nullptr;
    QToolButton* m_export = nullptr;
    QMenu* m_kernels = nullptr;
};

}  // namespace workbench
