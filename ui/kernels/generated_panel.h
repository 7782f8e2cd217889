// SPDX-License-Identifier: MIT
// Data sets of generated kernels: open or make one, search its records, choose what is shown of one.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace workbench {

class CountBox;
class DataSetDesk;
class JobBar;
class PathField;
class TextTable;
class ToneLabel;
struct DataSetWish;

class GeneratedPanel : public QWidget {
    Q_OBJECT
  public:
    explicit GeneratedPanel(DataSetDesk& desk, QWidget* parent = nullptr);

    DataSetWish wish() const;
    void setWish(const DataSetWish& wish);
    TextTable& records() const { return *m_records; }
    QLineEdit& search() const { return *m_search; }

  private:
    QWidget* makeRecords();
    QWidget* makeForm();
    void showDataSet();
    void showNote();
    void showRecord();
    void showWork();

    DataSetDesk& m_desk;
    ToneLabel* m_note = nullptr;
    JobBar* m_bar = nullptr;
    QLineEdit* m_search = nullptr;
    TextTable* m_records = nullptr;
    QComboBox* m_target = nullptr;
    QCheckBox* m_backward = nullptr;
    ToneLabel* m_levels = nullptr;
    TextTable* m_counts = nullptr;
    PathField* m_folder = nullptr;
    CountBox* m_count = nullptr;
    CountBox* m_seed = nullptr;
    QCheckBox* m_withBackward = nullptr;
    QPushButton* m_make = nullptr;
    QPushButton* m_resume = nullptr;
};

}  // namespace workbench
