// SPDX-License-Identifier: MIT
#include "ui/picture/save_job.h"

#include "core/image/image_io.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

SaveJob::SaveJob(Session& session, QObject* parent) : QObject(parent), m_session(session) {
    connect(&session, &Session::frameChanged, this, &SaveJob::proceed);
    connect(&session, &Session::statusChanged, this, &SaveJob::proceed);
    connect(&m_writer, &Job::progressed, this, &SaveJob::progressed);
}

SaveJob::~SaveJob() = default;

void SaveJob::start(const QString& path) {
    cancel();
    m_path = path;
    m_waiting = true;
    Q_EMIT started();
    if (!m_session.exactResult()) Q_EMIT progressed(-1.0, tr("waiting for the exact result"));
    proceed();
}

void SaveJob::cancel() {
    if (!isRunning()) return;
    m_waiting = false;
    m_writer.abandon();
    Q_EMIT cancelled(m_path);
}

void SaveJob::proceed() {
    if (!m_waiting) return;
    const std::shared_ptr<const Image> result = m_session.exactResult();
    if (!result) {
        const PreviewStatus& status = m_session.status();
        if (status.state == PreviewStatus::State::failed && status.error) {
            m_waiting = false;
            Q_EMIT failed(m_path, toText(status.error->message));
        } else if (status.state == PreviewStatus::State::computing) {
            Q_EMIT progressed(status.progress, tr("computing the exact result"));
        }
        return;
    }
    m_waiting = false;
    m_writer.start(
        m_path,
        [result, path = toPath(m_path)](const TaskControl& control) {
            return write_image(*result, path, {}, control);
        },
        [this](const auto& written) {
            if (written) {
                Q_EMIT saved(m_path, toSentences(written->notes));
            } else {
                Q_EMIT failed(m_path, toText(written.error().message));
            }
        });
}

}  // namespace workbench
