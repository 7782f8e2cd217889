// SPDX-License-Identifier: MIT
// What is said and chosen of one's own source; the source itself is edited beside its text.
#pragma once

#include <QWidget>

class QComboBox;

namespace workbench {

class OwnSource;
class ToneLabel;

class YoursPanel : public QWidget {
    Q_OBJECT
  public:
    explicit YoursPanel(OwnSource& source, QWidget* parent = nullptr);

  public Q_SLOTS:
    void chooseFile();

  Q_SIGNALS:
    void problemClicked(int line);

  private:
    void show();

    OwnSource& m_source;
    ToneLabel* m_file;
    QComboBox* m_kernel;
    QComboBox* m_target;
    ToneLabel* m_state;
};

}  // namespace workbench
