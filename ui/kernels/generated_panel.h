// SPDX-License-Identifier: MIT
// Data sets of generated kernels: open or make one, search its records, choose what is shown of one.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QTabWidget;

namespace workbench {

class DataSetChart;
class DataSetDesk;
class JobBar;
class MakeForm;
class TextTable;
class ToneLabel;

class GeneratedPanel : public QWidget {
    Q_OBJECT
  public:
    explicit GeneratedPanel(DataSetDesk& desk, QWidget* parent = nullptr);

    MakeForm& form() const { return *m_form; }
    enum class Tab { records, counts, charts, make, mismatches };
    enum class Chart { records, rejected, sizes, skeletons, pace };
    void setChart(Chart chart);
    DataSetChart& chart() const { return *m_chart; }
    void setTab(Tab tab);
    TextTable& mismatches() const { return *m_mismatches; }
    TextTable& records() const { return *m_records; }
    QLineEdit& search() const { return *m_search; }

  private:
    QWidget* makeRecords();
    QWidget* makeCharts();
    QWidget* makeMismatches();
    void showChart();
    void showDataSet();
    void showNote();
    void showRecord();
    void showWork();

    DataSetDesk& m_desk;
    QPushButton* m_open = nullptr;
    ToneLabel* m_note = nullptr;
    JobBar* m_bar = nullptr;
    QLineEdit* m_search = nullptr;
    TextTable* m_records = nullptr;
    QComboBox* m_target = nullptr;
    QComboBox* m_other = nullptr;
    QCheckBox* m_backward = nullptr;
    TextTable* m_counts = nullptr;
    QComboBox* m_chosenChart = nullptr;
    DataSetChart* m_chart = nullptr;
    MakeForm* m_form = nullptr;
    TextTable* m_mismatches = nullptr;
    QTabWidget* m_tabs = nullptr;
    int m_mismatchTab = -1;
};

}  // namespace workbench
