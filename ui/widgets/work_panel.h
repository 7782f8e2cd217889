// SPDX-License-Identifier: MIT
// Shows below a form Run and Cancel of long work, its progress, and why it cannot be run.
#pragma once

#include <QWidget>

class QProgressBar;
class QPushButton;

namespace workbench {

class ElidedLabel;
class ToneLabel;

class WorkPanel : public QWidget {
    Q_OBJECT
  public:
    // Makes the panel. `name` begins the object names: nameRun, nameCancel, nameHindrance. `work`: the work's
    // name in accessible texts, such as "the work".
    WorkPanel(const QString& name, const QString& work, QWidget* parent);

    // Shows whether work runs. `hindrance`: why it cannot be run; empty: it can.
    void showState(bool isRunning, const QString& hindrance);
    void showProgress(double fraction, const QString& what);

  Q_SIGNALS:
    void runAsked();
    void cancelAsked();

  private:
    ToneLabel* m_hindrance;
    ElidedLabel* m_what;
    QProgressBar* m_progress;
    QPushButton* m_run;
    QPushButton* m_cancel;
};

}  // namespace workbench
