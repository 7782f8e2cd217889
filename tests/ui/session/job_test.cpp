// SPDX-License-Identifier: MIT
#include "ui/session/job.h"

#include <gmock/gmock.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/ui/patience.h"

namespace workbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Waits until it is asked to stop, and says so.
Result<int> untilStopped(const JobControl& control) {
    while (!control.cancelled()) std::this_thread::yield();
    return fail(ErrorKind::cancelled, "cancelled");
}

auto returning(int value) {
    return [value](const JobControl&) -> Result<int> { return value; };
}

// Collects results: values as they are, -1 for cancelled, -2 for another error.
struct Collected {
    std::vector<int> values;
    std::string message;
    auto deliver() {
        return [this](const Result<int>& result) {
            if (!result) message = result.error().message;
            values.push_back(result ? *result : result.error().kind == ErrorKind::cancelled ? -1 : -2);
        };
    }
};

bool waitForEnd(const Job& job) {
    return QTest::qWaitFor([&] { return !job.isRunning(); }, patience_ms);
}

TEST(Job, RunsOffTheGuiThreadAndDeliversInIt) {
    Job job(JobPolicy::refuse_while_busy);
    QStringList events;
    QObject::connect(&job, &Job::started, [&](const QString& what) { events << what; });
    QObject::connect(&job, &Job::ended, [&] { events << QStringLiteral("ended"); });
    QObject::connect(&job, &Job::idle, [&] { events << QStringLiteral("idle"); });
    std::thread::id workedIn;
    std::thread::id deliveredIn;
    job.start(
        QStringLiteral("Working"),
        [&](const JobControl&) -> Result<void> {
            workedIn = std::this_thread::get_id();
            return {};
        },
        [&](const Result<void>& result) {
            EXPECT_TRUE(result);
            EXPECT_FALSE(job.isRunning());
            events << QStringLiteral("delivered");
            deliveredIn = std::this_thread::get_id();
        });
    EXPECT_TRUE(job.isRunning());
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_NE(workedIn, std::this_thread::get_id());
    EXPECT_EQ(deliveredIn, std::this_thread::get_id());
    EXPECT_EQ(events.join(QLatin1Char(' ')), QStringLiteral("Working ended delivered idle"));
}

TEST(Job, RefusesASecondWhileBusy) {
    Job job(JobPolicy::refuse_while_busy);
    Collected collected;
    std::latch go(1);
    EXPECT_TRUE(job.start(
        {},
        [&](const JobControl&) -> Result<int> {
            go.wait();
            return 1;
        },
        collected.deliver()));
    EXPECT_FALSE(job.start({}, returning(2), collected.deliver()));
    go.count_down();
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_TRUE(job.start({}, returning(3), collected.deliver()));
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.values, ElementsAre(1, 3));
}

TEST(Job, NewestWinsStopsTheOlderAndWaitsForItsEnd) {
    Job job(JobPolicy::newest_wins);
    Collected collected;
    std::atomic<bool> olderEnded = false;
    bool olderHadEnded = false;
    job.start(
        {},
        [&](const JobControl& control) -> Result<int> {
            auto result = untilStopped(control);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            olderEnded = true;
            return result;
        },
        collected.deliver());
    job.start({}, returning(2), collected.deliver());
    job.start(
        {},
        [&](const JobControl&) -> Result<int> {
            olderHadEnded = olderEnded;
            return 3;
        },
        collected.deliver());
    EXPECT_TRUE(job.isRunning());
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_TRUE(olderHadEnded);
    EXPECT_THAT(collected.values, ElementsAre(3));
}

TEST(Job, NewestWinsAtOnceDoesNotWaitForAnOlderThatHangs) {
    std::latch release(1);
    Collected collected;
    Job job(JobPolicy::newest_wins_at_once);
    job.start(
        {},
        [&](const JobControl&) -> Result<int> {
            release.wait();
            return 1;
        },
        collected.deliver());
    job.start({}, returning(2), collected.deliver());
    EXPECT_TRUE(QTest::qWaitFor([&] { return !collected.values.empty(); }, patience_ms));
    EXPECT_FALSE(job.isRunning());
    release.count_down();
    QTest::qWait(20);
    EXPECT_THAT(collected.values, ElementsAre(2));
}

TEST(Job, NewestNextDeliversTheRunningAndTheNewestOfThoseThatWait) {
    Job job(JobPolicy::newest_next);
    Collected collected;
    std::latch go(1);
    job.start(
        {},
        [&](const JobControl& control) -> Result<int> {
            go.wait();
            return control.cancelled() ? 0 : 1;
        },
        collected.deliver());
    job.start({}, returning(2), collected.deliver());
    job.start({}, returning(3), collected.deliver());
    go.count_down();
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.values, ElementsAre(1, 3));
}

TEST(Job, InOrderDeliversAll) {
    Job job(JobPolicy::in_order);
    const QSignalSpy ended(&job, &Job::ended);
    Collected collected;
    std::atomic<int> atOnce = 0;
    std::latch go(1);
    for (int i = 1; i <= 4; ++i) {
        EXPECT_TRUE(job.start(
            {},
            [&atOnce, &go, i](const JobControl& control) -> Result<int> {
                const bool isAlone = atOnce++ == 0;
                go.wait();
                --atOnce;
                return isAlone && !control.cancelled() ? i : 0;
            },
            collected.deliver()));
    }
    go.count_down();
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.values, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(ended.count(), 1);
}

TEST(Job, CancelReachesAllThatWait) {
    Job job(JobPolicy::in_order);
    Collected collected;
    for (int i = 0; i < 3; ++i) job.start({}, untilStopped, collected.deliver());
    job.cancel();
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.values, ElementsAre(-1, -1, -1));
}

TEST(Job, CancelLetsTheWorkSayThatItWasCancelled) {
    for (const JobPolicy policy :
         {JobPolicy::refuse_while_busy, JobPolicy::newest_wins, JobPolicy::newest_wins_at_once,
          JobPolicy::newest_next, JobPolicy::in_order}) {
        Job job(policy);
        Collected collected;
        job.start({}, untilStopped, collected.deliver());
        job.cancel();
        EXPECT_TRUE(job.isRunning());
        ASSERT_TRUE(waitForEnd(job));
        EXPECT_THAT(collected.values, ElementsAre(-1));
    }
}

TEST(Job, CancelReachesAJobThatWaits) {
    Job job(JobPolicy::newest_wins);
    Collected collected;
    job.start({}, untilStopped, collected.deliver());
    job.start({}, untilStopped, collected.deliver());
    job.cancel();
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.values, ElementsAre(-1)) << "one answer, of the newest";
}

TEST(Job, AbandonIsFreeAtOnceAndDeliversNothing) {
    for (const JobPolicy policy :
         {JobPolicy::refuse_while_busy, JobPolicy::newest_wins, JobPolicy::newest_wins_at_once,
          JobPolicy::newest_next, JobPolicy::in_order}) {
        Job job(policy);
        Collected collected;
        EXPECT_FALSE(job.abandon());
        job.start({}, untilStopped, collected.deliver());
        EXPECT_TRUE(job.abandon());
        EXPECT_FALSE(job.isRunning());
        EXPECT_TRUE(job.start({}, returning(2), collected.deliver()));
        ASSERT_TRUE(waitForEnd(job));
        EXPECT_THAT(collected.values, ElementsAre(2));
    }
}

TEST(Job, IsDestroyedWhileRunningWithoutDelivering) {
    Collected collected;
    std::atomic<bool> ended = false;
    {
        Job job(JobPolicy::newest_wins_at_once);
        const auto work = [&](const JobControl& control) -> Result<int> {
            auto result = untilStopped(control);
            ended = true;
            return result;
        };
        job.start({}, work, collected.deliver());
        job.start({}, work, collected.deliver());
    }
    EXPECT_TRUE(ended);
    QTest::qWait(10);
    EXPECT_THAT(collected.values, IsEmpty());
}

TEST(Job, WaitEndsWhatRunsAndWhatWaitsAndDeliversAfterwards) {
    for (const JobPolicy policy : {JobPolicy::in_order, JobPolicy::newest_next}) {
        Job job(policy);
        Collected collected;
        std::atomic<int> done = 0;
        for (int i = 1; i <= 3; ++i) {
            job.start(
                {},
                [&done, i](const JobControl& control) -> Result<int> {
                    std::this_thread::sleep_for(std::chrono::milliseconds(10));
                    ++done;
                    return control.cancelled() ? 0 : i;
                },
                collected.deliver());
        }
        job.wait();
        const bool all = policy == JobPolicy::in_order;
        EXPECT_EQ(done, all ? 3 : 2) << "the second of three is overtaken where only the newest waits";
        EXPECT_THAT(collected.values, IsEmpty()) << "results come by the event loop";
        ASSERT_TRUE(waitForEnd(job));
        EXPECT_EQ(collected.values, all ? std::vector<int>({1, 2, 3}) : std::vector<int>({1, 3}));
        EXPECT_TRUE(job.start({}, returning(4), collected.deliver()));
        ASSERT_TRUE(waitForEnd(job));
        EXPECT_EQ(collected.values.back(), 4);
    }
}

TEST(Job, WhatWasWaitedForIsNotDeliveredOnceTheJobIsGone) {
    Collected collected;
    bool ended = false;
    {
        Job job(JobPolicy::newest_next);
        job.start(
            {},
            [&ended](const JobControl&) -> Result<int> {
                ended = true;
                return 1;
            },
            collected.deliver());
        job.wait();
        EXPECT_TRUE(ended);
    }
    QTest::qWait(10);
    EXPECT_THAT(collected.values, IsEmpty());
}

TEST(Job, MayBeDestroyedByWhatItDelivers) {
    auto job = std::make_unique<Job>(JobPolicy::newest_wins);
    job->start({}, returning(1), [&](const Result<int>&) { job.reset(); });
    EXPECT_TRUE(QTest::qWaitFor([&] { return !job; }, patience_ms));
}

TEST(Job, StartsAnotherFromWhatItDelivers) {
    Job job(JobPolicy::refuse_while_busy);
    const QSignalSpy idle(&job, &Job::idle);
    Collected collected;
    job.start({}, returning(1), [&](const Result<int>& first) {
        EXPECT_TRUE(job.start({}, returning(*first + 1), collected.deliver()));
    });
    EXPECT_TRUE(QTest::qWaitFor([&] { return !collected.values.empty(); }, patience_ms));
    EXPECT_THAT(collected.values, ElementsAre(2));
    EXPECT_EQ(idle.count(), 1);
}

TEST(Job, TurnsExceptionsIntoErrors) {
    Job job(JobPolicy::refuse_while_busy);
    Collected collected;
    job.start(
        {}, [](const JobControl&) -> Result<int> { throw std::bad_alloc(); }, collected.deliver());
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.message, HasSubstr("not enough memory"));
    job.start(
        {}, [](const JobControl&) -> Result<int> { throw std::runtime_error("broken table"); },
        collected.deliver());
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.message, HasSubstr("broken table"));
    job.start(
        {}, [](const JobControl&) -> Result<int> { throw 7; }, collected.deliver());
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(collected.message, HasSubstr("unknown exception"));
    EXPECT_THAT(collected.values, ElementsAre(-2, -2, -2));
}

TEST(Job, ThrottlesProgressAndShowsTheNewest) {
    Job job(JobPolicy::refuse_while_busy);
    constexpr int interval_ms = 100;
    job.setProgressInterval(std::chrono::milliseconds(interval_ms));
    std::vector<double> fractions;
    QString last;
    QObject::connect(&job, &Job::progressed, [&](double fraction, const QString& what) {
        fractions.push_back(fraction);
        last = what;
    });
    QElapsedTimer elapsed;
    elapsed.start();
    job.start(
        {},
        [](const JobControl& control) -> Result<int> {
            for (int i = 1; i <= 100'000; ++i) control.report(i / 100'000.0, std::to_string(i));
            return untilStopped(control);
        },
        [](const Result<int>&) {});
    // The last of a burst is shown although nothing follows it.
    EXPECT_TRUE(QTest::qWaitFor([&] { return last == QLatin1String("100000"); }, patience_ms));
    EXPECT_LE(fractions.size(), std::size_t(elapsed.elapsed() / interval_ms + 2));
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    job.cancel();
    ASSERT_TRUE(waitForEnd(job));
}

TEST(Job, ShowsNoProgressOfAJobThatIsOvertakenOrEnded) {
    Job job(JobPolicy::newest_wins);
    job.setProgressInterval(std::chrono::milliseconds(10));
    QSignalSpy progressed(&job, &Job::progressed);
    std::latch reported(1);
    job.start(
        {},
        [&](const JobControl& control) -> Result<int> {
            control.report(0.5, "older");
            reported.count_down();
            return untilStopped(control);
        },
        [](const Result<int>&) {});
    reported.wait();
    job.start({}, returning(2), [](const Result<int>&) {});
    ASSERT_TRUE(waitForEnd(job));
    QTest::qWait(30);
    EXPECT_EQ(progressed.count(), 0);
}

TEST(Job, PostsInOrderAndBeforeTheResult) {
    Job job(JobPolicy::refuse_while_busy);
    std::vector<int> seen;
    job.start(
        {},
        [&seen](const JobControl& control) -> Result<int> {
            for (int i = 1; i <= 3; ++i) control.post([&seen, i] { seen.push_back(i); });
            return 4;
        },
        [&seen](const Result<int>& result) { seen.push_back(*result); });
    ASSERT_TRUE(waitForEnd(job));
    EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4));
}

TEST(Job, DropsWhatAnAbandonedJobPosts) {
    Job job(JobPolicy::newest_wins);
    bool ran = false;
    std::latch posted(1);
    job.start(
        {},
        [&](const JobControl& control) -> Result<int> {
            control.post([&ran] { ran = true; });
            posted.count_down();
            return untilStopped(control);
        },
        [](const Result<int>&) {});
    posted.wait();
    job.abandon();
    QTest::qWait(10);
    EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace workbench
