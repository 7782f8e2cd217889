// SPDX-License-Identifier: MIT
// Runs one benchmark at a time off the GUI thread and reports in it.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "core/benchmark/benchmark.h"
#include "core/evidence/reproduce.h"
#include "core/record/record.h"
#include "ui/charts/compared_records.h"
#include "ui/session/job.h"
#include "ui/session/kept_runs.h"

namespace workbench {

// A reproduction, and its comparison as views take it.
struct Reproduced {
    Reproduction reproduction;
    ComparedRecordsPtr compared;
};

class BenchmarkRunner : public QObject {
    Q_OBJECT
  public:
    explicit BenchmarkRunner(QObject* parent = nullptr);
    ~BenchmarkRunner() override;  // cancels and waits: milliseconds, the runner looks at its token often

    bool isRunning() const { return m_job.isRunning(); }
    // Starts nothing while one is running. `imagePath` names the image in the record's command line. What is
    // measured, to its end or until it was cancelled, is kept in `historyFile` before it is reported: also
    // when this object goes meanwhile.
    void start(BenchmarkMatrix matrix, const QString& imagePath, const QString& historyFile);
    // Measures again what `original`, a record that lies in a file, has measured; `settings` say how the
    // timings are compared. The same signals, but `reproduced` in place of `finished`; a cancelled one is
    // cancelledEmpty, whatever was complete.
    void reproduce(OpenedRecordPtr original, ReproduceSettings settings, const QString& historyFile);
    void cancel() { m_job.cancel(); }

  Q_SIGNALS:
    // Reports progress, at most a few times a second, so that showing it does not disturb what is measured.
    void progressed(double fraction, const QString& what);
    void caseFinished(std::shared_ptr<const workbench::CaseResult> result);
    // Reports a run that is complete, or was cancelled with at least one complete case (run.cancelled).
    void finished(std::shared_ptr<const workbench::Record> record, const workbench::KeptRun& kept);
    void reproduced(std::shared_ptr<const workbench::Reproduced> what, const workbench::KeptRun& kept);
    void cancelledEmpty();
    void failed(const QString& message);

  private:
    struct Measured {
        std::shared_ptr<const Record> record;
        KeptRun kept;
    };
    struct MeasuredAgain {
        std::shared_ptr<const Reproduced> reproduced;
        KeptRun kept;
    };
    // Measures off the GUI thread.
    Result<Measured> measure(const BenchmarkMatrix& matrix, const std::string& imagePath,
                             const QString& historyFile, const JobControl& control);
    Result<MeasuredAgain> measureAgain(const OpenedRecordPtr& original, const ReproduceSettings& settings,
                                       const QString& historyFile, const JobControl& control);
    std::function<void(const CaseResult&)> reporter(const JobControl& control);
    void tellFailure(const Error& error);

    Job m_job{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
