// SPDX-License-Identifier: MIT
// The tabs of page Tuning that show what there is: models, counters and learned entries.
#pragma once

#include <QWidget>

class QPushButton;
class QStackedWidget;

namespace workbench {

class TextTable;
class ToneLabel;
class TuningModel;

// The models, which of them decide and why others do not; one is activated or removed.
class ModelsTab : public QWidget {
    Q_OBJECT
  public:
    explicit ModelsTab(TuningModel& model, QWidget* parent = nullptr);
    TextTable& table() const { return *m_table; }

  private:
    void showModels();
    void showChosen();
    int chosen() const;

    TuningModel& m_model;
    QStackedWidget* m_stack;
    TextTable* m_table = nullptr;
    ToneLabel* m_facts = nullptr;
    QPushButton* m_activate = nullptr;
    QPushButton* m_remove = nullptr;
};

// Shows how often decisions were made and why, and what was learned in use.
class UseTab : public QWidget {
    Q_OBJECT
  public:
    explicit UseTab(TuningModel& model, QWidget* parent = nullptr);

  private:
    void showUse();
    void forgetChosen();

    TuningModel& m_model;
    TextTable* m_counters;
    TextTable* m_learned;
    QPushButton* m_forget;
    QPushButton* m_forgetAll;
};

}  // namespace workbench
