// SPDX-License-Identifier: MIT
// Shows messages and choices about a person's own source, which is edited beside its text.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace workbench {

class OwnSource;
class ToneLabel;

class YoursPanel : public QWidget {
    Q_OBJECT
  public:
    explicit YoursPanel(OwnSource& source, QWidget* parent = nullptr);

  public Q_SLOTS:
    void chooseFile();

  private:
    void show();
    void showVerified();
    void takeOptions();

    OwnSource& m_source;
    ToneLabel* m_file;
    QComboBox* m_kernel;
    QComboBox* m_target;
    QCheckBox* m_backward;
    QLineEdit* m_includes;
    QLineEdit* m_definitions;
    ToneLabel* m_state;
    ToneLabel* m_verified;
};

}  // namespace workbench
