// SPDX-License-Identifier: MIT
// The benchmark page: what to measure on the left; on the right what was measured or opened, how it compares
// with another record, duels of two builds, and cases over time. A view of its RecordDesk, which has the
// state and does the work.
#pragma once

#include <QWidget>

class QAction;
class QStackedWidget;
class QTabWidget;

namespace workbench {

class ChartsArea;
class CompareView;
class DuelActions;
class DuelView;
class EmptyResults;
class ExportMenu;
class HistoryView;
class JobBar;
class MatrixForm;
class MessageArea;
class RecordActions;
class RecordDesk;
class RecordMessages;
class ResultsPage;
class ResultsTable;
class RunPanel;
class Session;

class BenchmarkPage : public QWidget {
    Q_OBJECT
  public:
    explicit BenchmarkPage(Session& session, QWidget* parent = nullptr);
    // Cancels what runs and waits for it.
    ~BenchmarkPage() override;

    RecordDesk& desk() const { return *m_desk; }
    bool isRunning() const;
    QString runningText() const;  // what is measured, as a sentence; empty: nothing
    // Sets why nothing may be measured now; empty: it may.
    void setHindrance(const QString& why);

    MatrixForm& form() const { return *m_form; }
    ResultsPage& results() const { return *m_results; }
    ChartsArea& charts() const;
    ResultsTable& table() const;
    ExportMenu& exports() const;
    MessageArea& messages() const { return *m_messages; }
    CompareView& compareView() const { return *m_compare; }
    HistoryView& historyView() const { return *m_historyView; }
    DuelView& duelView() const { return *m_duelView; }
    DuelActions& duels() const { return *m_duels; }

    enum class Tab { results, comparison, duel, history };
    Tab tab() const;
    void setTab(Tab tab);
    RecordActions& records() const { return *m_records; }
    // Return the action of duels; and those of opening, comparing and reproducing, for a menu.
    QAction* duelAction() const;
    QList<QAction*> recordActions() const;

    void setHistoryFile(const QString& path);
    // Reproduces the record on its image, which lies at `image` now; empty: where it was, or on synthetic
    // planes.
    void reproduceOn(const QString& image);

  public Q_SLOTS:
    void run();
    void cancel();
    void reproduce() { reproduceOn({}); }

  Q_SIGNALS:
    void runningChanged(bool running);
    void message(const QString& text);
    void attentionWanted();  // what was asked for is about to be shown here

  private:
    QWidget* makeRightSide(QWidget* parent);
    void makeActions();
    void connectRun();
    void connectRecords();
    void connectComparison();
    void connectHistory();
    void connectDuels();
    bool mayMeasure();
    bool isFree() const;
    void showPlan();
    void showState();
    void readHistory(bool keepChoice);

    Session& m_session;
    RecordDesk* m_desk;
    MatrixForm* m_form = nullptr;
    RunPanel* m_run = nullptr;
    MessageArea* m_messages = nullptr;
    RecordMessages* m_said = nullptr;  // in m_messages
    JobBar* m_jobBar = nullptr;
    QTabWidget* m_tabs = nullptr;
    QStackedWidget* m_stack = nullptr;  // Of the first tab: m_empty or m_results.
    EmptyResults* m_empty = nullptr;
    ResultsPage* m_results = nullptr;
    CompareView* m_compare = nullptr;
    DuelView* m_duelView = nullptr;
    HistoryView* m_historyView = nullptr;
    RecordActions* m_records = nullptr;
    DuelActions* m_duels = nullptr;
    QString m_hindrance;
};

}  // namespace workbench
