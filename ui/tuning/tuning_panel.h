// SPDX-License-Identifier: MIT
// The left of page Tuning: how configs are chosen, and the work that measures, trains and judges.
#pragma once

#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

class QComboBox;
class QFormLayout;
class QLabel;

namespace workbench {

class CountBox;
class NumberBox;
class PathField;
class ToneLabel;
class TuningModel;
class WorkPanel;
struct TuningWork;

class TuningPanel : public QWidget {
    Q_OBJECT
  public:
    explicit TuningPanel(TuningModel& model, QWidget* parent = nullptr);

  private:
    void makeChoosing(QFormLayout& form);
    void makeWork(QFormLayout& form);
    void showOptions();
    void showWork();
    void edit(const std::function<void(TuningWork&)>& change);
    QLabel* addRow(QFormLayout& form, const QString& label, QWidget* field, const QString& spoken,
                   const QString& help);

    TuningModel& m_model;
    bool m_isShowing = false;
    QComboBox* m_mode;
    ToneLabel* m_modeWords;
    CountBox* m_topK;
    NumberBox* m_threshold;
    QComboBox* m_kind;
    CountBox* m_seconds;
    CountBox* m_problems;
    QComboBox* m_set;
    QComboBox* m_purpose;
    PathField* m_database;
    std::vector<std::pair<QWidget*, unsigned>> m_rows;  // with the kinds of work that they are of, as bits
    WorkPanel* m_run = nullptr;
};

}  // namespace workbench
