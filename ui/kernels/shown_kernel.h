// SPDX-License-Identifier: MIT
// The kernel that the page shows, and its run. Knows no widget.
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/inspect/kernel_facts.h"
#include "core/inspect/kernel_run.h"
#include "core/inspect/traffic.h"
#include "ui/session/job.h"

namespace workbench {

// A kernel's text and what is known of it. Immutable.
struct ShownKernel {
    QString origin;                     // "Ours, sm_75", the file's name
    std::string kernel;                 // its symbol
    QString title;                      // as a person reads the symbol
    std::string text;                   // IR
    QString target;                     // "ptx-nvrtc:sm_90"
    std::optional<ptx::Module> module;  // of PTX alone
    std::optional<inspect::KernelFacts> facts;
    std::string source;  // empty: not known
    QString sourceName;
    std::vector<std::pair<int, int>> lines;  // [line of the text, line of the source]
    QString linesNote;                       // why there are none
    // Counted traffic: rows of the table, and what they are of. Empty: none.
    struct Counted {
        std::string job;
        inspect::LaunchTraffic launch;
    };
    std::vector<Counted> counted;
    QString countedNote;
};
using ShownKernelPtr = std::shared_ptr<const ShownKernel>;

// Reads a PTX text into what is shown of it: module and facts. Takes tens of milliseconds for a long one.
Result<void> readFacts(ShownKernel& kernel);

// All members are called in the GUI thread.
class ShownKernelModel : public QObject {
    Q_OBJECT
  public:
    explicit ShownKernelModel(QObject* parent = nullptr);
    ~ShownKernelModel() override;

    const ShownKernelPtr& kernel() const { return m_kernel; }  // null: none
    // Shows another; null: none. A run that is under way is dropped, a result goes.
    void show(ShownKernelPtr kernel);

    const std::optional<inspect::RunOutcome>& outcome() const { return m_outcome; }
    const QString& runProblem() const { return m_problem; }  // why there is no outcome; empty: there is none
    bool isRunning() const { return m_job.isRunning(); }
    void run(const inspect::RunRequest& request);
    void cancelRun();

    // Writes the text to a file of its own below the user's settings, which a command names.
    Result<std::filesystem::path> keepText() const;
    QString commandLine(const inspect::RunRequest& request);  // empty: the text could not be kept

  Q_SIGNALS:
    void kernelChanged();
    void runChanged();  // it began, ended or was dropped
    void failed(const QString& message);

  private:
    ShownKernelPtr m_kernel;
    std::optional<inspect::RunOutcome> m_outcome;
    QString m_problem;
    Job m_job;  // last: it is joined before what its work delivers to goes
};

}  // namespace workbench
