// SPDX-License-Identifier: MIT
// One piece of work on a release at a time, off the GUI thread: reading, hashing, changing, exporting.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <thread>

#include "core/support/task.h"

namespace workbench {

class ReleaseJob : public QObject {
    Q_OBJECT
  public:
    using Tell = std::function<void()>;
    // Runs on a thread of its own; what it returns runs in the GUI thread, when the job has ended.
    using Work = std::function<Tell(const TaskControl&)>;

    explicit ReleaseJob(QObject* parent = nullptr);
    ~ReleaseJob() override;  // cancels and joins; nothing is told any more

    bool isRunning() const { return m_running; }
    // Nothing happens while one is running.
    void start(const QString& what, Work work);
    void cancel();

  Q_SIGNALS:
    void started(const QString& what);
    void progressed(double fraction, const QString& what);
    void finished();  // after Tell, unless that began another

  private:
    bool m_running = false;
    std::jthread m_thread;
};

}  // namespace workbench
