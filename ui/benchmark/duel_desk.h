// SPDX-License-Identifier: MIT
// The state of a duel in the window without its widgets: which is measured or shown, where it is kept, and
// what is done with its record. Lives in the GUI thread; what takes long is done off it. A part of
// RecordDesk, which sees to it that nothing else is measured meanwhile.
#pragma once

#include <QObject>
#include <QString>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/duel/duel_record.h"
#include "ui/benchmark/record_history.h"
#include "ui/charts/duel_rows.h"
#include "ui/session/job.h"
#include "ui/session/kept_runs.h"

namespace workbench {

// Between two changes of a row that is measured. Drawing takes processors from what is measured, from both
// sides alike: often enough that an interval is seen to shrink.
inline constexpr auto shownDuelInterval = std::chrono::milliseconds(100);

// Describes the duel that a person asks for. The base is a library, an installed prefix or a build directory,
// or, where a revision is named, the kernels of that revision of `source`.
struct DuelRequest {
    QString base = {};
    QString revision = {}, source = {};
    QString now = QStringLiteral(".");  // the program's own library
    DuelSettings settings = {};
};

struct ShownDuel {
    DuelRows rows = {};
    LibraryFile base = {}, now = {};
    DuelRecordPtr record = nullptr;         // null while it is measured
    bool isOwn = false;                     // measured by this window
    QString path = {};                      // where its record lies; empty: nowhere
    QString historyFile = {}, keptId = {};  // where a history has it; empty: nowhere

    bool isEmpty() const { return rows.rows.empty(); }
    bool isUnkept() const { return isOwn && record && path.isEmpty() && keptId.isEmpty(); }
};

class DuelDesk : public QObject {
    Q_OBJECT
  public:
    // Opens and adds to `history` as `job`, so that one thing at a time is done with records. Both must
    // outlive it.
    DuelDesk(Job& job, RecordHistory& history, QObject* parent = nullptr);
    // Cancels what runs and waits for it.
    ~DuelDesk() override;

    const ShownDuel& shown() const { return m_shown; }
    const DuelRequest& request() const { return m_request; }  // the last
    bool isRunning() const { return m_job.isRunning(); }
    bool isMeasuring() const { return isRunning() && m_begun; }  // else it looks for the libraries, or builds
    int current() const { return m_current; }                    // the row that is measured; -1: none
    bool isSaving() const { return m_saving.isRunning(); }

    // Finds both libraries, building the revision that is asked for, then measures. refused() follows where
    // one cannot be used, else begun() and, at its end, finished(), cancelledEmpty() or failed().
    void start(DuelRequest request);
    // Cancels the duel; what is complete is kept.
    void cancel() { m_job.cancel(); }

    // Verifies it: opened() or recordFailed() follows.
    void open(const QString& path);
    void openKept(const QString& id);  // Of the history: the same.
    bool mayAddToHistory() const;
    void addToHistory();  // addedToHistory() or recordFailed() follows.
    // Writes a record of a duel to a new directory, signed where the file of a private key is named: saved()
    // or saveFailed() follows. What does not hold is neither written nor signed.
    void save(const DuelRecordPtr& record, const QString& directory, const QString& keyFile);

    void cancelSaving() { m_saving.cancel(); }

    // Returns the command that measures it again, or measures what is being measured; empty where nothing is
    // shown.
    QString commandLine() const;

    // Duels of this window that nothing keeps, in whose place others are shown; the oldest first.
    const std::vector<ShownDuel>& aside() const { return m_aside; }
    void showAside();  // The newest of them. Nothing happens while something runs.
    bool hasUnkept() const { return m_shown.isUnkept() || m_before.isUnkept() || !m_aside.empty(); }

  Q_SIGNALS:
    void runningChanged(bool running);
    void progressed(double fraction, const QString& what);
    void refused(const workbench::Error& error);
    void begun();
    void shownChanged();       // Another duel is shown than before, or its rows are others.
    void rowChanged(int row);  // At most ten times a second while pairs come in.
    void stateChanged();       // Something else that a view shows.
    void finished(const workbench::KeptRun& kept);  // Complete, or cancelled with a complete case.
    void cancelledEmpty();
    void failed(const QString& why);
    void opened(const QString& path);  // Empty: of the history.
    void recordFailed(const workbench::Error& error);
    void addedToHistory(bool isNew);
    void saved(const QString& directory, bool accepted, const QString& verdict);
    void saveFailed(const QString& why);

  private:
    struct Begun {
        LibraryFile base, now;
        DuelRows rows;
    };
    struct Measured {
        DuelRecordPtr record;
        KeptRun kept;
    };
    // Measures off the GUI thread.
    Result<Measured> measure(const DuelRequest& request, const QString& historyFile,
                             const JobControl& control);
    DuelEvents reporter(const JobControl& control);

    void begin(Begun begun);
    void showRow(int row, DuelRow now);
    void finish(const Result<Measured>& done);
    void show(ShownDuel next);
    void setAside();
    void openBy(const QString& what, std::function<Result<DuelRecord>(const TaskControl&)> open,
                ShownDuel into);

    Job& m_records;
    RecordHistory& m_history;
    ShownDuel m_shown;
    ShownDuel m_before;  // Shown again when nothing comes of what is measured.
    std::vector<ShownDuel> m_aside;
    DuelRequest m_request;
    bool m_begun = false;
    int m_current = -1;
    Job m_saving{JobPolicy::refuse_while_busy};
    Job m_job{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
