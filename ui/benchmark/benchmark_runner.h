// SPDX-License-Identifier: MIT
// One benchmark at a time on a thread of its own; what happens is told in the GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <thread>

#include "core/benchmark/benchmark.h"
#include "core/evidence/reproduce.h"
#include "core/record/record.h"
#include "ui/charts/compared_records.h"
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

    bool isRunning() const { return m_running; }
    // Nothing happens while one is running. `imagePath` names the image in the record's command line. What is
    // measured, to its end or until it was cancelled, is kept in `historyFile` before it is reported: also
    // when this object goes meanwhile.
    void start(BenchmarkMatrix matrix, const QString& imagePath, const QString& historyFile);
    // Measures again what `original`, a record that lies in a file, has measured; `settings` say how the
    // timings are compared. The same signals, but `reproduced` in place of `finished`; a cancelled one is
    // cancelledEmpty, whatever was complete.
    void reproduce(OpenedRecordPtr original, ReproduceSettings settings, const QString& historyFile);
    void cancel();

  Q_SIGNALS:
    // At most a few times a second, so that showing it does not disturb what is measured.
    void progressed(double fraction, const QString& what);
    void caseFinished(std::shared_ptr<const workbench::CaseResult> result);
    // Complete, or cancelled with at least one complete case (run.cancelled).
    void finished(std::shared_ptr<const workbench::Record> record, const workbench::KeptRun& kept);
    void reproduced(std::shared_ptr<const workbench::Reproduced> what, const workbench::KeptRun& kept);
    void cancelledEmpty();
    void failed(const QString& message);

  private:
    void run(const BenchmarkMatrix& matrix, const std::string& imagePath, const QString& historyFile,
             const std::stop_token& stop);
    void runReproduction(const OpenedRecordPtr& original, const ReproduceSettings& settings,
                         const QString& historyFile, const std::stop_token& stop);
    TaskControl watched(const std::stop_token& stop);
    void tellFailure(const Error& error);
    template <class Deliver>
    void post(Deliver deliver, bool last = false);

    bool m_running = false;
    std::jthread m_thread;
};

}  // namespace workbench
