// SPDX-License-Identifier: MIT
// The benchmark page: what to measure on the left, what was measured on the right. Runs off the GUI thread;
// closing it while running cancels cleanly.
#pragma once

#include <QWidget>
#include <memory>

#include "ui/benchmark/result_exporter.h"

class QAction;
class QLabel;
class QMenu;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace workbench {

class BenchmarkRunner;
class ChartsArea;
class MatrixForm;
class MessageArea;
class ResultsModel;
class ResultsTable;
class RunPanel;
class Session;
class ToneLabel;
struct CaseResult;

class BenchmarkPage : public QWidget {
    Q_OBJECT
  public:
    explicit BenchmarkPage(Session& session, QWidget* parent = nullptr);
    ~BenchmarkPage() override;

    bool isRunning() const;
    bool hasResults() const;  // at least one case is shown

    MatrixForm& form() const { return *m_form; }
    ChartsArea& charts() const { return *m_charts; }
    ResultsTable& table() const { return *m_table; }
    ResultsModel& model() const { return *m_model; }
    MessageArea& messages() const { return *m_messages; }
    ResultExporter& exporter() const { return *m_exporter; }

    int chosenCase() const { return m_chosen; }  // index into the model's results; -1: none
    void chooseCase(int index);

    // Without asking for a name. Nothing happens while a run is under way or an export is being written.
    void exportTo(ExportKind kind, const QString& path);
    void exportChartTo(int chart, ExportKind kind, const QString& path);

  public Q_SLOTS:
    void run();
    void cancel();
    void exportRecord();
    void exportCsv();
    void exportJson();
    void exportMarkdown();
    void exportAllCharts();

  Q_SIGNALS:
    void runningChanged(bool running);
    void message(const QString& text);

  private:
    QWidget* makeFormColumn();
    QWidget* makeEmptyPage();
    QWidget* makeResultsPage();
    QMenu* makeExportMenu();
    void makeActions();
    void connectRunner();
    void connectExporter();
    void showForm();
    void showState();
    void addResult(const CaseResult& result);
    void finish();
    void exportChart(int chart, ExportKind kind);
    void exportFile(ExportKind kind, const QString& title, const QString& suffix, const QString& filter);
    QString exportDirectory() const;
    void rememberExport(const QString& directory);
    bool mayExport() const;

    Session& m_session;
    ResultsModel* m_model;
    BenchmarkRunner* m_runner;
    ResultExporter* m_exporter;
    MatrixForm* m_form = nullptr;
    RunPanel* m_run = nullptr;
    MessageArea* m_messages = nullptr;
    QStackedWidget* m_stack = nullptr;
    QSplitter* m_splitter = nullptr;
    QSplitter* m_resultsSplitter = nullptr;
    QLabel* m_emptyTitle = nullptr;
    ToneLabel* m_emptyText = nullptr;
    ToneLabel* m_state = nullptr;
    QToolButton* m_export = nullptr;
    ChartsArea* m_charts = nullptr;
    ResultsTable* m_table = nullptr;
    RecordPtr m_record;    // of the last finished run
    QString m_exportInto;  // the directory to remember when the export has succeeded
    int m_chosen = -1;
    bool m_userChose = false;
    bool m_freshRun = false;  // running, and the results shown are still those of the run before
};

}  // namespace workbench
