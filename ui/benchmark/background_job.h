// SPDX-License-Identifier: MIT
// One job at a time off the GUI thread. A newer one replaces an older, which then tells nothing.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>
#include <thread>

#include "core/support/task.h"

namespace workbench {

class BackgroundJob : public QObject {
    Q_OBJECT
  public:
    // Runs off the GUI thread; what it returns is done in it.
    using Work = std::function<std::function<void()>(const TaskControl&)>;

    explicit BackgroundJob(QObject* parent = nullptr);
    ~BackgroundJob() override;  // asks it to stop and waits

    bool isRunning() const { return m_running; }
    // `what` is shown while it runs: "Comparing with monday". Of one that waits for an older to stop, too.
    void start(const QString& what, Work work);
    // Asks it to stop. It ends as it says itself, by its `cancelled` error.
    void cancel();

  Q_SIGNALS:
    void started(const QString& what);
    void progressed(double fraction);  // in [0, 1], at most a few times a second
    void ended();                      // before what it returned is done

  private:
    struct Waiting {
        QString what;
        Work work;
    };
    void run(Work work);
    void finish(const std::function<void()>& tell);

    bool m_running = false;
    std::optional<Waiting> m_next;
    std::jthread m_thread;
};

}  // namespace workbench
