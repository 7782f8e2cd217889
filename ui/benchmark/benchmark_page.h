// SPDX-License-Identifier: MIT
// The benchmark page: what to measure on the left; on the right what was measured or opened, how it compares
// with another record, and cases over time. Works off the GUI thread; closing it while running cancels
// cleanly.
#pragma once

#include <QHash>
#include <QWidget>
#include <functional>
#include <memory>

#include "ui/benchmark/result_exporter.h"
#include "ui/charts/compared_records.h"

class QAction;
class QLabel;
class QMenu;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace workbench {

class BackgroundJob;
class BenchmarkRunner;
class ChartsArea;
class CompareView;
class DropCue;
class HistoryView;
class JobBar;
class MatrixForm;
class MessageArea;
class ResultNote;
class ResultsHeader;
class ResultsModel;
class ResultsTable;
class RunPanel;
class Session;
class ToneLabel;
struct CaseResult;
struct HistoryContents;
struct KeptRun;
struct Reproduced;
struct TaskControl;

class BenchmarkPage : public QWidget {
    Q_OBJECT
  public:
    explicit BenchmarkPage(Session& session, QWidget* parent = nullptr);
    ~BenchmarkPage() override;

    bool isRunning() const;
    bool isBusy() const;      // with a record: opening, comparing, a history, a ceiling
    bool hasResults() const;  // at least one case is shown
    // Of a run that is neither in the history nor exported.
    bool hasUnkeptResults() const;
    // Why nothing may be measured now; empty: it may.
    void setHindrance(const QString& why);

    MatrixForm& form() const { return *m_form; }
    ChartsArea& charts() const { return *m_charts; }
    ResultsTable& table() const { return *m_table; }
    ResultsModel& model() const { return *m_model; }
    MessageArea& messages() const { return *m_messages; }
    ResultExporter& exporter() const { return *m_exporter; }
    CompareView& compareView() const { return *m_compare; }
    HistoryView& historyView() const { return *m_history; }

    enum class Tab { results, comparison, history };
    Tab tab() const;
    void setTab(Tab tab);
    // Opening, comparing and reproducing, for a menu.
    QList<QAction*> recordActions() const;

    int chosenCase() const { return m_chosen; }  // index into the model's results; -1: none
    void chooseCase(int index);

    // Without asking for a name. Nothing happens while a run is under way or an export is being written.
    void exportTo(ExportKind kind, const QString& path);
    void exportChartTo(int chart, ExportKind kind, const QString& path);
    void exportReportTo(const QString& path);  // of the comparison, as Markdown
    // On the record's image, which lies at `image` now; empty: where it was, or on synthetic planes.
    void reproduceOn(const QString& image);

    // A record's directory or its record.json. What is wrong with it is said in place.
    void openRecordAt(const QString& path);
    void compareWithRecordAt(const QString& path);  // as the base of what is shown
    void openKeptRecord(const QString& id);         // of the history
    void compareWithKept(const QString& id);
    void setHistoryFile(const QString& path);
    // The finished run that is shown, as long as no file has it; else null.
    RecordPtr unwrittenRun() const { return m_recordWrittenTo.isEmpty() ? m_record : nullptr; }
    const OpenedRecordPtr& openedRecord() const { return m_opened; }  // null: a run, or nothing, is shown

  public Q_SLOTS:
    void run();
    void cancel();
    void exportRecord();
    void exportCsv();
    void exportJson();
    void exportMarkdown();
    void exportAllCharts();
    void openRecord();
    void compareWith();
    void compareWithPrevious();
    void reproduce();
    void exportReport();
    void addToHistory();

  Q_SIGNALS:
    void runningChanged(bool running);
    void message(const QString& text);
    void recordWritten();
    void attentionWanted();  // what was asked for is about to be shown here

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* makeFormColumn();
    QWidget* makeEmptyPage();
    QWidget* makeResultsPage();
    QWidget* makeRightSide();
    QMenu* makeExportMenu();
    void makeActions();
    void connectRunner();
    void connectExporter();
    void connectRecords();
    void connectHistory();
    void showKept(const KeptRun& kept);
    void showNote();
    void writeNote(const QString& id, const QString& note);
    void offerReplaced();
    void sayRecordError(const Error& error);
    void rememberRecordFolder(const std::string& record);
    bool mayMeasure();
    void showForm();
    void showState();
    void showEmptyText();
    void showRecordActions();
    void showOpened(OpenedRecordPtr opened);
    void showRun(RecordPtr record);
    void showShown();
    void showCeilings();
    void showReproductionFailure(const QString& why);
    void finishReproduction(const Reproduced& reproduced, const QString& keptId);
    void compareShown(OpenedRecordPtr base, OpenedRecordPtr now, bool allowUnlike);
    // The base of a comparison, of what is shown; off the GUI thread.
    using BaseOf = std::function<Result<Record>(const Record& now, const TaskControl& control)>;
    void compareWithBase(const QString& what, BaseOf base);
    void openBy(const QString& what, std::function<Result<Record>(const TaskControl&)> open);
    void measureCeiling(int threads);
    void readHistory(bool keepChoice);
    void readTrend();
    QString askForRecord(const QString& title);
    QString keptRecordPath() const;
    void addResult(const CaseResult& result);
    void finish();
    void exportChart(int chart, ExportKind kind);
    void exportFile(ExportKind kind, const QString& title, const QString& suffix, const QString& filter);
    QString exportDirectory() const;
    void rememberExport(const QString& directory);
    bool mayExport() const;
    QString chartCaption() const;

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
    ResultsHeader* m_header = nullptr;
    ResultNote* m_note = nullptr;
    QToolButton* m_export = nullptr;
    QTabWidget* m_tabs = nullptr;
    CompareView* m_compare = nullptr;
    HistoryView* m_history = nullptr;
    BackgroundJob* m_job;
    BackgroundJob* m_noteJob;
    JobBar* m_jobBar = nullptr;
    DropCue* m_dropCue = nullptr;
    QAction* m_openAction = nullptr;
    QAction* m_compareAction = nullptr;
    QAction* m_previousAction = nullptr;
    QAction* m_reproduceAction = nullptr;
    ChartsArea* m_charts = nullptr;
    ResultsTable* m_table = nullptr;
    // What is shown, at most one of the two; neither while the first run is under way.
    RecordPtr m_record;                   // of the last finished run
    OpenedRecordPtr m_opened;             // read from a file
    QString m_recordWrittenTo;            // where m_record lies, when it was exported whole
    QString m_keptId;                     // of m_record in the history; empty: it is not there
    QHash<QString, QString> m_notes;      // as far as known here, by record_id
    QHash<QString, QString> m_unwritten;  // notes on their way into the history
    RecordPtr m_replaced;                 // a run that nothing keeps, in whose place a newer is shown
    QString m_hindrance;
    QList<QAction*> m_exportActions;  // enabled while something can be exported
    QAction* m_exportRecordAction = nullptr;
    OpenedRecordPtr m_original;     // being reproduced, to be shown again when that fails
    OpenedRecordPtr m_base, m_now;  // of the comparison
    bool m_allowUnlike = false;     // as asked for, for this pair
    QString m_exportInto;           // the directory to remember when the export has succeeded
    int m_chosen = -1;
    bool m_userChose = false;
    bool m_freshRun = false;  // running, and the results shown are still those of the run before
};

}  // namespace workbench
