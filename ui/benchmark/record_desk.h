// SPDX-License-Identifier: MIT
// The state of the Benchmark page without its widgets: which run or record is shown, what is being measured,
// what is compared, and which results nothing keeps. Lives in the GUI thread; what takes long is done off it.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/evidence/compare.h"
#include "core/record/record.h"
#include "ui/benchmark/benchmark_runner.h"
#include "ui/benchmark/duel_desk.h"
#include "ui/benchmark/record_history.h"
#include "ui/benchmark/result_exporter.h"
#include "ui/benchmark/results_model.h"
#include "ui/charts/compared_records.h"
#include "ui/session/job.h"

namespace workbench {

// Results and where they are kept.
struct DeskResults {
    RecordPtr run;                                // Of a run of this window.
    OpenedRecordPtr opened;                       // Of a record that was opened. Never beside `run`.
    std::shared_ptr<const std::string> restored;  // The JSON of `opened`, when an ended session left it.
    QString path;                                 // Where the whole record lies; empty: nowhere.
    QString historyFile, keptId;                  // Where a history has it; empty: nowhere.

    bool isEmpty() const { return !run && !opened && !restored; }
    bool isUnwritten() const { return (run || restored) && path.isEmpty(); }
    bool isUnkept() const { return isUnwritten() && keptId.isEmpty(); }
};

class RecordDesk : public QObject {
    Q_OBJECT
  public:
    explicit RecordDesk(const QString& historyFile, QObject* parent = nullptr);
    // Cancels what runs and waits for it.
    ~RecordDesk() override;

    const RecordPtr& run() const { return m_shown.run; }              // Null: a record, or nothing, is shown.
    const OpenedRecordPtr& opened() const { return m_shown.opened; }  // Null: a run, or nothing, is shown.
    const DeskResults& shown() const { return m_shown; }
    ResultsModel& results() const { return *m_results; }
    RecordHistory& history() { return m_history; }
    ResultExporter& exporter() { return m_exporter; }
    Job& job() { return m_job; }  // With records: opening, comparing, a history, a ceiling.

    DuelDesk& duel() { return m_duel; }  // Opened by open(), begun by startDuel().

    bool isRunning() const { return isBenchmarking() || isDuelling(); }  // Something is measured.
    bool isBenchmarking() const { return m_runner.isRunning(); }
    bool isDuelling() const { return m_duel.isRunning(); }
    bool isBusy() const { return m_job.isRunning(); }
    bool isFresh() const { return m_fresh; }  // A run goes on, and results() are still those before it.
    const OpenedRecordPtr& reproducing() const { return m_original.opened; }

    // Measures a matrix. Does nothing while something runs or a record is worked on.
    void measure(BenchmarkMatrix matrix, const QString& imagePath);
    void reproduce(const QString& image);  // What opened() measured, on its image or on this one.
    void startDuel(DuelRequest request);
    void cancelRun();  // Whichever runs.

    // Opens a record: shownChanged, of the desk or of duel(), or failed follows. Does nothing while something
    // runs.
    void open(const QString& path);
    void openKept(const QString& id);  // Of the history.
    // Takes over what an ended session left, the oldest first: shows the newest, unless something runs, and
    // sets the others aside.
    void restore(std::vector<std::string> results);

    // Compares what is shown, with a record as the base: compared, refused or failed follows.
    void compareWith(const QString& path);
    void compareWithKept(const QString& id);
    void compareWithPrevious();
    void setCompareSettings(const CompareSettings& settings);  // Compares the same pair anew.
    void swapCompared();
    void compareAlthoughUnlike();

    // Adds the record that is shown to the history: one that lies in a file, or was restored.
    void addToHistory();
    bool mayAddToHistory() const;

    void exportWhole(const QString& path);  // The run. shown().path is set when it verifies.

    // Results that nothing keeps, in whose place others are shown; the oldest first.
    const std::vector<DeskResults>& aside() const { return m_aside; }
    void showAside();  // The newest of them. Nothing happens while something runs.
    bool hasUnkept() const;
    // Returns the results that no file has, the oldest first: for keeping them beside the window's state.
    std::vector<DeskResults> unwritten() const;

  Q_SIGNALS:
    void shownChanged();  // Other results are shown than before.
    void resultAdded();   // To those that are shown.
    void stateChanged();  // Something else that a view shows.
    void runningChanged(bool running);
    void progressed(double fraction, const QString& what);
    void runFinished();
    void runKept(const workbench::KeptRun& kept);  // Or not, after any run to its end.
    void runCancelled(bool wasReproduction);       // Nothing was complete.
    void runFailed(const QString& why, bool wasReproduction);
    void reproduced(std::shared_ptr<const workbench::Reproduced> what);
    void fetching();      // A record is asked for: what was said of the one before is over.
    void openedRecord();  // Shown now.
    void recordFoundAt(const QString& path);  // Opened, or compared with.
    void comparing();
    void compared(workbench::ComparedRecordsPtr compared);
    void refused(workbench::OpenedRecordPtr base, workbench::OpenedRecordPtr now, const workbench::Error& why,
                 bool unlike);
    void failed(const workbench::Error& error);
    void exported();  // The run lies in a file now.

  private:
    using BaseOf = std::function<Result<Record>(const Record& now, const TaskControl& control)>;

    void connectRunner();
    void connectDuel();
    bool isOriginalHidden() const;  // Results of a reproduction stand in its place.
    void addResult(const CaseResult& result);
    void finishRun(DeskResults shown, const KeptRun& kept);
    void endRun();
    void show(DeskResults next);
    void setAside();
    void openBy(const QString& what, std::function<Result<Record>(const TaskControl&)> open,
                DeskResults into);
    void compareWithBase(const QString& what, BaseOf baseOf);
    void compare(OpenedRecordPtr base, OpenedRecordPtr now, bool allowUnlike);

    Job m_job{JobPolicy::newest_wins};
    RecordHistory m_history;
    ResultsModel* m_results;
    ResultExporter m_exporter;
    BenchmarkRunner m_runner;
    DuelDesk m_duel;
    DeskResults m_shown;
    DeskResults m_original;  // Being reproduced; shown again when that fails.
    std::vector<DeskResults> m_aside;
    bool m_fresh = false;
    RecordPtr m_exporting;
    OpenedRecordPtr m_base, m_now;  // Of the comparison.
    CompareSettings m_compareSettings;
    bool m_allowUnlike = false;  // As asked for, for this pair.
};

}  // namespace workbench
