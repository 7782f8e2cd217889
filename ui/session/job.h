// SPDX-License-Identifier: MIT
// Runs work off the GUI thread and delivers its result in it. Catches what the work throws.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

// Says what start() does while an older job runs.
enum class JobPolicy {
    refuse_while_busy,    // Starts nothing.
    newest_wins,          // Stops the older, drops its result, and starts when the older has ended.
    newest_wins_at_once,  // The same, without waiting for the older, which may sit in a system call.
    newest_next,          // Lets the older end and deliver; of those that wait, only the newest starts.
    in_order,             // Runs and delivers each, one after the other.
};

// Controls a job from within its work, which may call `progress` at any rate.
struct JobControl : TaskControl {
    // Runs a function in the GUI thread, in order and before the result is delivered; drops it when the job
    // is no longer wanted. For what the work reports besides its progress.
    std::function<void(std::function<void()>)> post = {};
};

// Runs work on a thread. All members are called in the GUI thread.
class Job : public QObject {
    Q_OBJECT
  public:
    explicit Job(JobPolicy policy, QObject* parent = nullptr);
    // Asks the work to stop and waits for it. Nothing is delivered any more.
    ~Job() override;

    // Runs `work`, a Result<T>(const JobControl&), on a thread of its own, then `deliver`, a void(Result<T>),
    // in the GUI thread. An exception of the work is delivered as an error. Returns false when the policy
    // refuses. The work must not use what may be gone before this Job: it captures values.
    template <class Work, class Deliver>
    bool start(const QString& what, Work work, Deliver deliver) {
        using Outcome = std::invoke_result_t<Work&, const JobControl&>;
        static_assert(std::is_invocable_v<Deliver&, Outcome>, "deliver takes what work returns");
        return begin(what, [work = std::move(work), deliver = std::move(deliver)](const JobControl& control,
                                                                                  const Error* problem) {
            auto outcome = std::make_shared<Outcome>(problem ? Outcome(std::unexpected(*problem))
                                                             : guarded(work, control));
            return std::function<void()>(
                [deliver, outcome]() mutable { std::invoke(deliver, std::move(*outcome)); });
        });
    }

    // Asks what runs and what waits to stop. Results are delivered: the work itself returns its `cancelled`
    // error.
    void cancel();
    // Cancels, drops the results, and is free at once. Returns false when none was running.
    bool abandon();
    // Waits until what runs and what waits has ended. Their results are delivered afterwards, by the event
    // loop; a Job that is destroyed before delivers none. For work that must be done before the program goes
    // on.
    void wait();

    bool isRunning() const;                  // A job runs or waits whose result will be delivered.
    QString what() const { return m_what; }  // As given to the newest start().

    // Lets at most one progressed() come in this time; the newest is shown at its end. Default: 50 ms.
    void setProgressInterval(std::chrono::milliseconds interval) { m_progressTimer.setInterval(interval); }

  Q_SIGNALS:
    void started(const QString& what);
    void progressed(double fraction, const QString& what);  // The fraction is in [0, 1].
    void ended();  // Nothing runs any more; the result is delivered next.
    void idle();   // The result was delivered, and that started no other job.

  private:
    struct Run;
    using RunPtr = std::shared_ptr<Run>;
    // Returns what is to be called in the GUI thread. Does not run the work where there is a problem already.
    using Body = std::function<std::function<void()>(const JobControl&, const Error* problem)>;

    template <class Work>
    static auto guarded(const Work& work, const JobControl& control)
        -> std::invoke_result_t<const Work&, const JobControl&> try {
        return work(control);
    } catch (const std::bad_alloc&) {
        return std::unexpected(outOfMemory());
    } catch (const std::exception& exception) {
        return std::unexpected(unexpectedError(exception.what()));
    } catch (...) {
        return std::unexpected(unexpectedError("an unknown exception"));
    }
    static Error outOfMemory();
    static Error unexpectedError(const char* what);

    bool begin(const QString& what, Body body);
    void launch(const RunPtr& run);
    void finish(const RunPtr& run, const std::function<void()>& deliver);
    void showProgress();

    const JobPolicy m_policy;
    QString m_what;
    QTimer m_progressTimer;
    std::list<RunPtr> m_executing;  // Oldest first.
    std::list<RunPtr> m_waiting;    // Oldest first.
    RunPtr m_reporting;             // Has a progress that is not shown yet.
};

}  // namespace workbench
