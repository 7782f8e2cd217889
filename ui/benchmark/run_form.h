// SPDX-License-Identifier: MIT
// The part of the benchmark form that chooses how a matrix is run: device, threads and iterations.
#pragma once

#include <QWidget>

#include "ui/benchmark/matrix_choices.h"

class QComboBox;

namespace workbench {

class CountBox;
class Session;
class ToneLabel;

class RunForm : public QWidget {
    Q_OBJECT
  public:
    explicit RunForm(Session& session, QWidget* parent = nullptr);

    // Puts what is chosen here into `choices`.
    void fill(MatrixChoices& choices) const;
    void setChoices(const MatrixChoices& choices);
    // Shows what depends on the session's device, and on other choices.
    void showContext();
    void focusDevice();
    void focusIterations();

  Q_SIGNALS:
    void changed();

  private:
    void showDevices();
    void addDevice(const QString& id, const QString& text, const QString& whyNot);

    Session& m_session;
    QComboBox* m_device;
    ToneLabel* m_deviceText;
    CountBox* m_threads;
    CountBox* m_warmup;
    CountBox* m_iterations;
};

}  // namespace workbench
