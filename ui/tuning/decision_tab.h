// SPDX-License-Identifier: MIT
// Shows why one problem is executed as it is: the decision in words, and every candidate with what a model
// predicts of it and the measurement.
#pragma once

#include <QWidget>

class QComboBox;

namespace workbench {

class TextTable;
class ToneLabel;
class TuningModel;

class DecisionTab : public QWidget {
    Q_OBJECT
  public:
    explicit DecisionTab(TuningModel& model, QWidget* parent = nullptr);

    // Looks at the recipe's first operation, or else at a problem that was met.
    void begin();
    QString commandLine() const;
    TextTable& candidates() const { return *m_candidates; }
    QComboBox& spec() const { return *m_spec; }
    QString words() const;

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void fillSpecs();
    void showDecision();

    TuningModel& m_model;
    QComboBox* m_spec;
    ToneLabel* m_decision;
    ToneLabel* m_wrong;
    TextTable* m_candidates;
};

}  // namespace workbench
