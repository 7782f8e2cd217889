// SPDX-License-Identifier: MIT
#include "ui/picture/save_job.h"

#include <QMetaObject>
#include <chrono>
#include <thread>

#include "core/image/image_io.h"
#include "ui/session/session.h"
#include "ui/support/text.h"

namespace workbench {

struct SaveJob::Impl {
    explicit Impl(Session& s) : session(s) {}

    enum class State { idle, waiting, writing };
    Session& session;
    State state = State::idle;
    QString path;
    std::uint64_t number = 0;
    std::jthread writer;
};

SaveJob::SaveJob(Session& session, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(session)) {
    connect(&session, &Session::frameChanged, this, &SaveJob::proceed);
    connect(&session, &Session::statusChanged, this, &SaveJob::proceed);
}

SaveJob::~SaveJob() = default;

bool SaveJob::isRunning() const {
    return m_impl->state != Impl::State::idle;
}

QString SaveJob::path() const {
    return m_impl->path;
}

void SaveJob::start(const QString& path) {
    cancel();
    m_impl->path = path;
    m_impl->state = Impl::State::waiting;
    Q_EMIT started();
    if (!m_impl->session.exactResult()) Q_EMIT progressed(-1.0, tr("waiting for the exact result"));
    proceed();
}

void SaveJob::cancel() {
    if (!isRunning()) return;
    m_impl->writer.request_stop();
    ++m_impl->number;
    m_impl->state = Impl::State::idle;
    Q_EMIT cancelled(m_impl->path);
}

void SaveJob::proceed() {
    if (m_impl->state != Impl::State::waiting) return;
    const std::shared_ptr<const Image> result = m_impl->session.exactResult();
    if (!result) {
        const PreviewStatus& status = m_impl->session.status();
        if (status.state == PreviewStatus::State::failed && status.error) {
            m_impl->state = Impl::State::idle;
            Q_EMIT failed(m_impl->path, QString::fromStdString(status.error->message));
        } else if (status.state == PreviewStatus::State::computing) {
            Q_EMIT progressed(status.progress, tr("computing the exact result"));
        }
        return;
    }
    m_impl->state = Impl::State::writing;
    const std::uint64_t number = ++m_impl->number;
    const auto post = [this, number](auto deliver, bool last) {
        QMetaObject::invokeMethod(
            this,
            [this, number, last, deliver = std::move(deliver)] {
                if (number != m_impl->number) return;
                if (last) m_impl->state = Impl::State::idle;
                deliver();
            },
            Qt::QueuedConnection);
    };
    // Assigning joins the writer before, which was asked to stop when this one was started.
    m_impl->writer = std::jthread([this, post, result, path = m_impl->path](const std::stop_token& stop) {
        auto last = std::chrono::steady_clock::time_point{};
        const TaskControl control{
            .stop = stop, .progress = [&](double fraction, std::string_view what) {
                const auto now = std::chrono::steady_clock::now();
                if (now - last < std::chrono::milliseconds(33)) return;
                last = now;
                post(
                    [this, fraction, text = QString::fromUtf8(what.data(), qsizetype(what.size()))] {
                        Q_EMIT progressed(fraction, text);
                    },
                    false);
            }};
        const auto written = write_image(*result, std::filesystem::path(path.toStdU16String()), {}, control);
        if (written) {
            post([this, path, text = toSentences(written->notes)] { Q_EMIT saved(path, text); }, true);
        } else if (written.error().kind != ErrorKind::cancelled) {  // cancel() has said so already
            post([this, path,
                  text = QString::fromStdString(written.error().message)] { Q_EMIT failed(path, text); },
                 true);
        }
    });
}

}  // namespace workbench
