// SPDX-License-Identifier: MIT
// The state of page Tuning: how configs are chosen, which models there are, what was decided, counted and
// learned, why one problem is executed as it is, and the long work that measures and trains. Reads, measures
// and writes off the GUI thread. No widgets.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "iir2d/tune.h"
#include "ui/session/job.h"
#include "ui/tuning/tuning_work.h"

namespace workbench {

class Session;

// Says why a problem is executed as it is. Never changed once it is made.
struct TuningDecision {
    QString spec;
    QString failure;  // the spec is none, or nothing could be said of it; then the rest is not there
    iir2d::TuneOptions options;
    iir2d::Explanation said;
};

class TuningModel : public QObject {
    Q_OBJECT
  public:
    explicit TuningModel(Session& session, QObject* parent = nullptr);
    ~TuningModel() override;

    Session& session() const { return m_session; }

    // Return or change the process's options; the mode is kept for the next start, unless the environment
    // names one.
    iir2d::TuneOptions options() const { return iir2d::tune_options(); }
    void setMode(iir2d::TuneMode mode);
    void setSelection(int topK, double threshold);

    // Returns what there is; null until it was read once. refresh() reads it again.
    const TuningStatePtr& state() const { return m_state; }
    void refresh();
    // Refreshes, and gives the library the models and entries that others may have put there meanwhile.
    void reload();
    bool isReading() const { return m_reader.isRunning(); }
    // Returns the counters of the files and of this process since, by name.
    std::map<std::string, std::uint64_t> counters() const;

    // Change the registry; refresh() follows, and changeFailed() where a change could not be made.
    void activate(const tune::RegisteredModel& model);
    void remove(const tune::RegisteredModel& model);
    void forget(const std::optional<std::string>& key);  // without a key: everything
    void resetStatistics();

    // Asks why a problem would be executed as it is; decisionChanged() follows. Only what was asked last is
    // answered, and again where options, models or what was learned change.
    void explain(const QString& spec);
    const QString& asked() const { return m_asked; }  // last; empty: nothing
    const TuningDecision& decision() const { return m_decision; }
    // Return the recipe's operations on the open image, as specs, and the problems met last.
    QStringList recipeSpecs() const;
    QStringList seenSpecs() const;

    // Start long work, one at a time, and return its state.
    const TuningWork& work() const { return m_work; }
    void setWork(const TuningWork& work);
    QString hindrance() const;                       // why run() would do nothing; empty: it would
    void setOtherHindrance(const QString& because);  // something else that runs; empty: nothing does
    QString commandLine() const;
    void run();
    void cancel() { m_job.cancel(); }
    bool isRunning() const { return m_job.isRunning(); }
    bool isMeasuring() const;
    const QString& failure() const { return m_failure; }  // of the last run; empty: none
    const QStringList& said() const { return m_said; }    // by the last run
    // Returns about how long it still takes; empty: unknown.
    QString timeLeft(double fraction) const;

    const TuningFiguresPtr& figures() const { return m_figures; }  // null: nothing judged yet
    enum class Format { csv, json, markdown };
    // Writes the judgement of a purpose; as Markdown the headroom of all. writeFailed() where there is none.
    void exportTo(Format format, const QString& purpose, const QString& path);
    void writeTo(const QByteArray& bytes, const QString& path);

  Q_SIGNALS:
    void optionsChanged();
    void stateRead();
    void changeFailed(const QString& message);
    void decisionChanged();
    void workChanged();  // what is chosen, hindrance, running
    void ended();        // run(): failure() and said() are its own
    void progressed(double fraction, const QString& what);
    void figuresChanged();
    void written(const QString& path);
    void writeFailed(const QString& message);

  private:
    void explainAgain();
    void change(const QString& what, std::function<Result<void>()> make);
    void write(const QString& path, std::function<std::string()> text);

    Session& m_session;
    TuningStatePtr m_state;
    QString m_asked;
    TuningDecision m_decision;
    TuningWork m_work;
    QString m_otherHindrance, m_failure;
    QStringList m_said;
    TuningFiguresPtr m_figures;
    QElapsedTimer m_clock;
    // Destroyed in reverse: the threads end before what they tell.
    Job m_reader{JobPolicy::newest_next};
    Job m_changer{JobPolicy::in_order};
    Job m_explainer{JobPolicy::newest_wins};
    Job m_writer{JobPolicy::in_order};
    Job m_job{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
