// SPDX-License-Identifier: MIT
// Records what is seen: measures the session's recipe on its image and writes that as a benchmark record. The
// image and the recipe are those of the moment it was started. One record at a time.
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/record/record.h"

namespace workbench {

class Session;

class RecordJob : public QObject {
    Q_OBJECT
  public:
    explicit RecordJob(Session& session, QObject* parent = nullptr);
    ~RecordJob() override;  // cancels and joins

    bool isMeasuring() const;
    bool isWriting() const;
    // Measured and not written yet; null when there is none.
    std::shared_ptr<const Record> record() const;
    QString subject() const;  // "astronaut.png"

    void start();   // nothing happens while one is measured or written; what was not written is forgotten
    void cancel();  // measuring
    void writeInto(const QString& folder);  // a new directory in it, which is verified
    void discard();

  Q_SIGNALS:
    void started();
    void progressed(double fraction, const QString& what);
    void measured();
    void writingStarted();
    void written(const QString& directory, bool accepted, const QString& verdict);
    void failed(const QString& message);  // measuring, or writing: then record() is still there
    void cancelled();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace workbench
