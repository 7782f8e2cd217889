// SPDX-License-Identifier: MIT
#include "ui/benchmark/background_job.h"

#include <QMetaObject>
#include <chrono>
#include <utility>

namespace workbench {
namespace {

constexpr auto progressInterval = std::chrono::milliseconds(100);

}  // namespace

BackgroundJob::BackgroundJob(QObject* parent) : QObject(parent) {}

BackgroundJob::~BackgroundJob() = default;  // the thread's destructor asks it to stop and joins

void BackgroundJob::start(const QString& what, Work work) {
    if (m_running) {
        m_next = Waiting{what, std::move(work)};
        m_thread.request_stop();
        return;
    }
    m_running = true;
    Q_EMIT started(what);
    run(std::move(work));
}

void BackgroundJob::cancel() {
    m_next.reset();
    m_thread.request_stop();
}

void BackgroundJob::run(Work work) {
    m_thread = std::jthread([this, work = std::move(work)](const std::stop_token& stop) {
        auto told = std::chrono::steady_clock::time_point{};
        const TaskControl control{.stop = stop, .progress = [&](double fraction, std::string_view) {
                                      const auto now = std::chrono::steady_clock::now();
                                      if (now - told < progressInterval) return;
                                      told = now;
                                      QMetaObject::invokeMethod(
                                          this, [this, fraction] { Q_EMIT progressed(fraction); },
                                          Qt::QueuedConnection);
                                  }};
        auto tell = work(control);
        QMetaObject::invokeMethod(
            this, [this, tell = std::move(tell)] { finish(tell); }, Qt::QueuedConnection);
    });
}

void BackgroundJob::finish(const std::function<void()>& tell) {
    m_running = false;
    if (m_next) {
        // What it was made for is no longer wanted.
        Waiting next = std::move(*m_next);
        m_next.reset();
        start(next.what, std::move(next.work));
        return;
    }
    Q_EMIT ended();
    if (tell) tell();
}

}  // namespace workbench
