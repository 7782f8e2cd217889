// SPDX-License-Identifier: MIT
// Saves the exact result of the session's recipe: waits for it when it is not there yet, then writes it in
// the background. One file at a time.
#pragma once

#include <QObject>
#include <QString>

#include "ui/session/job.h"

namespace workbench {

class Session;

class SaveJob : public QObject {
    Q_OBJECT
  public:
    explicit SaveJob(Session& session, QObject* parent = nullptr);
    ~SaveJob() override;  // cancels and joins; the file stays as it was

    void start(const QString& path);  // ends an older one first
    void cancel();
    bool isRunning() const { return m_waiting || m_writer.isRunning(); }
    QString path() const { return m_path; }

  Q_SIGNALS:
    void started();
    void progressed(double fraction, const QString& what);
    // Reports a saved file. `notes`: what the file's format could not hold, in sentences.
    void saved(const QString& path, const QString& notes);
    void failed(const QString& path, const QString& message);
    void cancelled(const QString& path);

  private:
    void proceed();

    Session& m_session;
    QString m_path;
    bool m_waiting = false;  // For the exact result.
    Job m_writer{JobPolicy::newest_wins};
};

}  // namespace workbench
