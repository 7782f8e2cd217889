// SPDX-License-Identifier: MIT
// Records what is seen: measures the session's recipe on its image and writes that as a benchmark record. The
// image and the recipe are those of the moment it was started. One record at a time.
#pragma once

#include <QObject>
#include <QString>

#include "ui/benchmark/benchmark_runner.h"
#include "ui/benchmark/result_exporter.h"

namespace workbench {

class Session;

class RecordJob : public QObject {
    Q_OBJECT
  public:
    explicit RecordJob(Session& session, QObject* parent = nullptr);

    bool isMeasuring() const { return m_runner.isRunning(); }
    bool isWriting() const { return m_exporter.isRunning(); }
    // Returns the record that is measured and not written yet; null when there is none.
    const RecordPtr& record() const { return m_record; }
    const QString& subject() const { return m_subject; }  // "astronaut.png"

    void start();  // nothing happens while one is measured or written; what was not written is forgotten
    void cancel() { m_runner.cancel(); }    // measuring
    void writeInto(const QString& folder);  // a new directory in it, which is verified
    void discard() {
        if (!isWriting()) m_record.reset();
    }

  Q_SIGNALS:
    void started();
    void progressed(double fraction, const QString& what);
    void measured();
    void writingStarted();
    void written(const QString& directory, bool accepted, const QString& verdict);
    void failed(const QString& message);  // measuring, or writing: then record() is still there
    void cancelled();

  private:
    Session& m_session;
    BenchmarkRunner m_runner;  // cancels and joins when it goes
    ResultExporter m_exporter;
    RecordPtr m_record;
    QString m_subject;
};

}  // namespace workbench
