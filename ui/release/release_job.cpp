// SPDX-License-Identifier: MIT
#include "ui/release/release_job.h"

#include <QMetaObject>
#include <chrono>

namespace workbench {

ReleaseJob::ReleaseJob(QObject* parent) : QObject(parent) {}

ReleaseJob::~ReleaseJob() {
    m_thread.request_stop();
    if (m_thread.joinable()) m_thread.join();
}

void ReleaseJob::start(const QString& what, Work work) {
    if (m_running) return;
    m_running = true;
    Q_EMIT started(what);
    m_thread = std::jthread([this, what, work = std::move(work)](const std::stop_token& stop) {
        auto last = std::chrono::steady_clock::time_point{};
        const TaskControl control{.stop = stop, .progress = [&](double fraction, std::string_view at) {
                                      const auto now = std::chrono::steady_clock::now();
                                      if (now - last < std::chrono::milliseconds(33)) return;
                                      last = now;
                                      const QString text = QStringLiteral("%1: %2").arg(
                                          what, QString::fromUtf8(at.data(), qsizetype(at.size())));
                                      QMetaObject::invokeMethod(
                                          this, [this, fraction, text] { Q_EMIT progressed(fraction, text); },
                                          Qt::QueuedConnection);
                                  }};
        Tell tell = work(control);
        QMetaObject::invokeMethod(
            this,
            [this, tell = std::move(tell)] {
                m_running = false;
                tell();
                if (!m_running) Q_EMIT finished();
            },
            Qt::QueuedConnection);
    });
}

void ReleaseJob::cancel() {
    m_thread.request_stop();
}

}  // namespace workbench
