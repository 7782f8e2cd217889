// SPDX-License-Identifier: MIT
// The state of page Solve: what is chosen, what is being solved and how far it is, what was solved. Solves,
// reads and writes off the GUI thread. No widgets.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recipe/recipe.h"
#include "ui/session/job.h"
#include "ui/solve/plots.h"
#include "ui/solve/solution_map.h"
#include "ui/solve/solve_choices.h"

namespace workbench {

class Session;

// Holds one problem, solved; of several sizes the finest is last. Never changed once it is made.
struct SolveOutcome {
    SolveChoices choices;
    QString command;  // that does the same
    std::vector<solve::Solved> solved;
    std::optional<SolutionMap> solution, error;  // of two dimensions
    std::optional<ObjectiveField> field;         // of two parameters
    std::optional<Operation> filter;             // that was fitted

    const solve::Solved& last() const { return solved.back(); }
};
using SolveOutcomePtr = std::shared_ptr<const SolveOutcome>;

// Holds the filter's result with a parameter while that is tuned.
struct TunedImage {
    ImagePtr source;  // that is filtered
    ImagePtr image;
    double parameter = 0;
};

class SolveModel : public QObject {
    Q_OBJECT
  public:
    explicit SolveModel(Session& session, QObject* parent = nullptr);
    ~SolveModel() override;

    const SolveChoices& choices() const { return m_choices; }
    void setChoices(const SolveChoices& choices);
    ImagePtr image() const;
    QString hindrance() const;  // why run() would do nothing; empty: it would solve
    QString commandLine() const;

    void run();
    void cancel() { m_job.cancel(); }
    bool isRunning() const { return m_job.isRunning(); }

    const SolveOutcomePtr& outcome() const { return m_outcome; }  // null: none yet
    const QString& failure() const { return m_failure; }          // of the last run; empty: none
    // Return, while it runs, the steps so far, thinned, and of a fit the picture as it is.
    const std::vector<solve::HistoryStep>& live() const { return m_live; }
    const TunedImage& tuned() const { return m_tuned; }  // stays when the fit has ended

    enum class Format { csv, json };
    void exportTo(Format format, const QString& path);
    void writeTo(const QByteArray& bytes, const QString& path);  // a plot

    // Adds the fitted filter to the session's recipe, as one step that can be undone.
    bool mayPutIntoRecipe() const;
    void putIntoRecipe();

  Q_SIGNALS:
    void stateChanged();  // choices, running or not, hindrance, failure, outcome
    void ended();         // run(): failure() and outcome() are its own
    void progressed(double fraction, const QString& what);
    void liveChanged();
    void tunedChanged();
    void written(const QString& path);
    void writeFailed(const QString& message);

  private:
    void write(const QString& path, std::function<std::string()> text);

    Session& m_session;
    SolveChoices m_choices;
    SolveOutcomePtr m_outcome;
    QString m_failure;
    std::vector<solve::HistoryStep> m_live;
    TunedImage m_tuned;
    Job m_writer{JobPolicy::in_order};
    Job m_job{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
