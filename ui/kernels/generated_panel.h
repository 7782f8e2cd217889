// SPDX-License-Identifier: MIT
// Lets a person open or make a data set of generated kernels, search its records, choose what is shown of
// one, and save its charts.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace workbench {

class ChartView;
class DataSetChart;
class DataSetDesk;
class JobBar;
class MakeForm;
class PlotChart;
class Session;
class ShownKernelModel;
class TextTable;
class ToneLabel;

class GeneratedPanel : public QWidget {
    Q_OBJECT
  public:
    // Writes files by the model of the page.
    GeneratedPanel(Session& session, ShownKernelModel& shown, DataSetDesk& desk, QWidget* parent = nullptr);

    MakeForm& form() const { return *m_form; }
    enum class Tab { records, counts, charts, make, mismatches };
    enum class Chart { records, rejected, sizes, skeletons, pace };
    void setChart(Chart chart);
    DataSetChart& bars() const { return *m_bars; }
    PlotChart& line() const { return *m_line; }
    ChartView& shownChart() const;
    // Writes it as an SVG where the file's name ends so, else as a PNG.
    void saveChartTo(const QString& file);
    void setTab(Tab tab);
    TextTable& mismatches() const { return *m_mismatches; }
    TextTable& records() const { return *m_records; }
    QLineEdit& search() const { return *m_search; }

  private:
    QWidget* makeRecords();
    QWidget* makeCharts();
    QWidget* makeMismatches();
    void showBars(Chart chart);
    void showChart();
    void saveChart(const QString& suffix);
    void showDataSet();
    void showNote();
    void showRecord();
    void showWork();

    Session& m_session;
    ShownKernelModel& m_shown;
    DataSetDesk& m_desk;
    QPushButton* m_open = nullptr;
    ToneLabel* m_note = nullptr;
    JobBar* m_bar = nullptr;
    QLineEdit* m_search = nullptr;
    TextTable* m_records = nullptr;
    QComboBox* m_target = nullptr;
    QComboBox* m_other = nullptr;
    QCheckBox* m_backward = nullptr;
    QToolButton* m_copy = nullptr;
    TextTable* m_counts = nullptr;
    QComboBox* m_chosenChart = nullptr;
    QToolButton* m_save = nullptr;
    QStackedWidget* m_charts = nullptr;
    DataSetChart* m_bars = nullptr;
    PlotChart* m_line = nullptr;
    MakeForm* m_form = nullptr;
    TextTable* m_mismatches = nullptr;
    QTabWidget* m_tabs = nullptr;
    int m_mismatchTab = -1;
};

}  // namespace workbench
