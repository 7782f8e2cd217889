// SPDX-License-Identifier: MIT
#include "ui/session/job.h"

#include <QMetaObject>
#include <QPointer>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "ui/support/text.h"

namespace workbench {
struct Job::Run {
    struct Progress {
        double fraction = 0.0;
        std::string what;
    };

    Body body;
    std::stop_source stop = {};
    bool wanted = true;  // GUI thread only.
    std::thread thread = {};

    std::mutex mutex = {};
    std::optional<Progress> progress = {};  // The newest that is not shown yet.
};

Job::Job(JobPolicy policy, QObject* parent) : QObject(parent), m_policy(policy) {
    m_progressTimer.setSingleShot(true);
    m_progressTimer.setInterval(std::chrono::milliseconds(50));
    connect(&m_progressTimer, &QTimer::timeout, this, &Job::showProgress);
}

Job::~Job() {
    for (const RunPtr& run : m_executing) run->stop.request_stop();
    for (const RunPtr& run : m_executing) {
        if (run->thread.joinable()) run->thread.join();
    }
}

bool Job::isRunning() const {
    return !m_waiting.empty() || (!m_executing.empty() && m_executing.back()->wanted);
}

bool Job::begin(const QString& what, Body body) {
    if (m_policy == JobPolicy::refuse_while_busy && isRunning()) return false;
    if (m_policy == JobPolicy::newest_next) {
        m_waiting.clear();
    } else if (m_policy != JobPolicy::in_order) {
        abandon();
    }
    auto run = std::make_shared<Run>(std::move(body));
    m_what = what;
    if (m_executing.empty() || m_policy == JobPolicy::newest_wins_at_once) {
        launch(run);
    } else {
        m_waiting.push_back(run);
    }
    Q_EMIT started(what);
    return true;
}

void Job::launch(const RunPtr& run) {
    m_executing.push_back(run);
    const auto work = [this, run] {
        JobControl control;
        control.stop = run->stop.get_token();
        control.progress = [this, &run](double fraction, std::string_view what) {
            const std::lock_guard lock(run->mutex);
            const bool posted = run->progress.has_value();
            run->progress = Run::Progress{fraction, std::string(what)};
            if (posted) return;
            QMetaObject::invokeMethod(
                this,
                [this, run] {
                    if (!run->wanted) return;
                    m_reporting = run;
                    if (!m_progressTimer.isActive()) showProgress();
                },
                Qt::QueuedConnection);
        };
        control.post = [this, &run](std::function<void()> function) {
            QMetaObject::invokeMethod(
                this,
                [run, function = std::move(function)] {
                    if (run->wanted) function();
                },
                Qt::QueuedConnection);
        };
        auto deliver = run->body(control, nullptr);
        run->body = {};  // What it captured is not kept until the GUI thread comes by.
        QMetaObject::invokeMethod(
            this, [this, run, deliver = std::move(deliver)] { finish(run, deliver); }, Qt::QueuedConnection);
    };
    try {
        run->thread = std::thread(work);
    } catch (const std::system_error& exception) {
        const Error problem = unexpectedError(exception.what());
        auto deliver = run->body({}, &problem);
        QMetaObject::invokeMethod(
            this, [this, run, deliver = std::move(deliver)] { finish(run, deliver); }, Qt::QueuedConnection);
    }
}

void Job::finish(const RunPtr& run, const std::function<void()>& deliver) {
    if (run->thread.joinable()) run->thread.join();
    m_executing.remove(run);
    if (m_reporting == run) m_reporting.reset();
    if (m_executing.empty() && !m_waiting.empty()) {
        launch(m_waiting.front());
        m_waiting.pop_front();
    }
    if (!run->wanted) return;
    const QPointer<Job> guard(this);  // What is called may delete this job.
    if (!isRunning()) Q_EMIT ended();
    if (guard) deliver();
    if (guard && !isRunning()) Q_EMIT idle();
}

void Job::showProgress() {
    const RunPtr run = std::exchange(m_reporting, nullptr);
    if (!run || !run->wanted) return;
    std::optional<Run::Progress> progress;
    {
        const std::lock_guard lock(run->mutex);
        progress.swap(run->progress);
    }
    if (!progress) return;
    m_progressTimer.start();
    Q_EMIT progressed(progress->fraction, toText(progress->what));
}

void Job::cancel() {
    // One that waits still runs, and finds that it is to stop.
    for (const RunPtr& run : m_waiting) run->stop.request_stop();
    if (!m_executing.empty()) m_executing.back()->stop.request_stop();
}

bool Job::abandon() {
    const bool was = isRunning();
    m_waiting.clear();
    for (const RunPtr& run : m_executing) {
        run->wanted = false;
        run->stop.request_stop();
    }
    return was;
}

void Job::wait() {
    while (true) {
        for (const RunPtr& run : m_executing) {
            if (run->thread.joinable()) run->thread.join();
        }
        if (m_waiting.empty()) return;
        launch(m_waiting.front());
        m_waiting.pop_front();
    }
}

Error Job::outOfMemory() {
    return {ErrorKind::device_failure, "there is not enough memory for this: close other programs"};
}

Error Job::unexpectedError(const char* what) {
    return {ErrorKind::device_failure, std::string("this failed unexpectedly: ") + what};
}

}  // namespace workbench
