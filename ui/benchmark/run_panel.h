// SPDX-License-Identifier: MIT
// Shows below the form what a run will be, the button that starts it, and how far a running one is.
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QWidget>

class QAction;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace workbench {

class ElidedLabel;
class ToneLabel;

// Seconds left of a run that has been going on for `elapsed` seconds and is `fraction` done. The estimate
// made before the run counts less the further it is.
double secondsLeft(double elapsed, double fraction, double estimated);

class RunPanel : public QWidget {
    Q_OBJECT
  public:
    explicit RunPanel(QWidget* parent = nullptr);

    // Gives it a button beside the one that runs.
    void setDuelAction(QAction* action);

    void setPlan(std::size_t cases, double seconds);
    // Sets why nothing can be run; `runnable` stays possible otherwise.
    void setProblem(const QString& problem);
    // Sets why nothing may be measured now, whatever is chosen; empty: it may.
    void setHindrance(const QString& why);
    QString summary() const;

    void begin(std::size_t cases, double estimatedSeconds);
    void setProgress(double fraction, const QString& what, int casesDone);
    void setCancelling();
    void end();

  Q_SIGNALS:
    void runRequested();
    void cancelRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void tintRun();
    void showPlan();

    ToneLabel* m_summary;
    QWidget* m_progress;
    ElidedLabel* m_case;
    ToneLabel* m_left;
    QProgressBar* m_bar;
    QPushButton* m_run;
    QToolButton* m_duel;
    QPushButton* m_cancel;
    QElapsedTimer m_clock;
    std::size_t m_cases = 0;
    double m_estimated = 0;
    QString m_plan;
    QString m_problem;
    QString m_hindrance;
};

}  // namespace workbench
