// SPDX-License-Identifier: MIT
// The kernel that the page shows, and its run. Knows no widget.
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/inspect/data_set_view.h"
#include "core/inspect/kernel_facts.h"
#include "core/inspect/kernel_run.h"
#include "core/inspect/mismatch.h"
#include "core/inspect/traffic.h"
#include "ui/session/job.h"

namespace workbench {

// A kernel's text and what is known of it. Immutable.
struct ShownKernel {
    QString origin;      // "Ours, sm_75", the file's name
    std::string kernel;  // its symbol
    QString title;       // as a person reads the symbol
    std::string text;    // PTX or other IR
    bool isPtx = false;
    std::optional<ptx::Module> module;  // of PTX alone
    std::optional<inspect::KernelFacts> facts;
    std::string source;                      // empty: not known
    std::vector<std::pair<int, int>> lines;  // [line of the text, line of the source]
    QString note;                            // why there are no lines, or no facts
    // A difference: the other text, of which both targets are named. `text` then becomes the difference.
    std::string otherText;
    QString targetName;
    QString otherTarget;
    // Counts instructions by name, in the text and in the other; for a difference, and for text that is not
    // PTX.
    struct Instructions {
        std::string name;
        std::uint64_t here = 0;
        std::uint64_t there = 0;
    };
    std::vector<Instructions> instructions;
    // Runs that a person may start from: inputs of a record. Of the kernel of `source` where that is inside
    // the language.
    bool hasLanguageRuns = false;
    std::string languageSource;  // of the forward kernel
    bool isBackward = false;
    std::vector<inspect::RunRequest> runs;
    // The levels that its texts passed, and a remark.
    std::vector<inspect::RecordLevel> levels;
    QString levelsNote;
    std::shared_ptr<const inspect::Mismatch> mismatch;  // null: none is looked at
    // Holds counted traffic: rows of the table, and what they are of. Empty: none.
    struct Counted {
        std::string job;
        inspect::LaunchTraffic launch;
    };
    std::vector<Counted> counted;
    QString countedNote;
};
using ShownKernelPtr = std::shared_ptr<const ShownKernel>;

// Reads the PTX of a kernel into what is shown of it: module and facts. Takes tens of milliseconds for a long
// text.
Result<void> readFacts(ShownKernel& kernel);
// Returns whether something is still to be found of it: facts, a difference, instructions, runs.
bool isToBeRead(const ShownKernel& kernel);

// Holds the kernel that the page shows. All members are called in the GUI thread.
class ShownKernelModel : public QObject {
    Q_OBJECT
  public:
    explicit ShownKernelModel(QObject* parent = nullptr);
    ~ShownKernelModel() override;

    const ShownKernelPtr& kernel() const { return m_kernel; }  // null: none
    // Shows another; null: none. A run that is under way is dropped, a result goes. What is to be read of it
    // is read in the background, before it is shown.
    void show(ShownKernelPtr kernel);
    // Adds what was found later, such as lines; nothing where another kernel is shown or read by now.
    void amend(const ShownKernel& of, const std::function<void(ShownKernel&)>& change);
    bool isReading() const { return m_reading.isRunning(); }
    // Writes the text of the kernel, or any other, to a file in the background; wrote() or failed() follows.
    void saveText(const QString& file);
    void write(const QString& file, std::function<std::string()> text);

    const std::optional<inspect::RunOutcome>& outcome() const { return m_outcome; }
    const QString& runProblem() const { return m_problem; }  // why there is no outcome; empty: there is none
    bool isRunning() const { return m_running.isRunning(); }
    void run(const inspect::RunRequest& request);
    void cancelRun();

    // Writes the text to a file of its own below the user's settings, which a command names.
    Result<std::filesystem::path> keepText() const;
    QString commandLine(const inspect::RunRequest& request);  // empty: the text could not be kept

  Q_SIGNALS:
    void kernelChanged();
    void detailsChanged();  // of the same kernel: lines, levels, runs, notes
    void runChanged();      // it began, ended or was dropped
    void wrote(const QString& file);
    void failed(const QString& message);

  private:
    void take(ShownKernelPtr kernel);

    ShownKernelPtr m_read;                                   // that is being read
    std::vector<std::function<void(ShownKernel&)>> m_later;  // changes of it
    ShownKernelPtr m_kernel;
    std::optional<inspect::RunOutcome> m_outcome;
    QString m_problem;
    Job m_reading;
    Job m_saving;
    Job m_running;  // last: they are joined before what their work delivers to goes
};

}  // namespace workbench
