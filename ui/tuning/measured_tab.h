// SPDX-License-Identifier: MIT
// Shows what measurements say: predicted against measured times, regret by the number of configs that are
// timed, and the headroom of every family. Three tabs that show one judgement.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <vector>

class QComboBox;
class QWidget;

namespace workbench {

class PlotChart;
class TextTable;
class ToneLabel;
class TuningModel;
struct JudgedPurpose;

class MeasuredTab : public QObject {
    Q_OBJECT
  public:
    MeasuredTab(TuningModel& model, QWidget* parent);

    QWidget* predictions() const { return m_predictions; }
    QWidget* regret() const { return m_regret; }
    QWidget* headroom() const { return m_headroom; }

    QString purpose() const;  // that is shown
    void setPurpose(int index);
    PlotChart& predictionChart() const { return *m_scatter; }
    PlotChart& regretChart() const { return *m_curve; }
    TextTable& headroomTable() const { return *m_families; }
    // Returns the chart on a tab; empty where there is none.
    QByteArray shownAsSvg(const QWidget* tab);
    void chooseProblem(int index);
    int chosenProblem() const { return m_problem; }

  Q_SIGNALS:
    void specChosen(const QString& spec);

  private:
    const JudgedPurpose* judged() const;
    QWidget* makePurposeRow(QWidget* parent);
    void makePredictions(QWidget* parent);
    void makeRegret(QWidget* parent);
    void makeHeadroom(QWidget* parent);
    void showFigures();
    void showProblem();

    TuningModel& m_model;
    std::vector<QComboBox*> m_purposes;  // the same choice, on two tabs
    QWidget* m_predictions = nullptr;
    QWidget* m_regret = nullptr;
    QWidget* m_headroom = nullptr;
    PlotChart* m_scatter = nullptr;
    PlotChart* m_curve = nullptr;
    TextTable* m_problems = nullptr;
    TextTable* m_configs = nullptr;
    TextTable* m_families = nullptr;
    ToneLabel* m_regretWords = nullptr;
    ToneLabel* m_headroomWords = nullptr;
    int m_purpose = 0;
    int m_problem = -1;
    bool m_isShowing = false;
};

}  // namespace workbench
