// SPDX-License-Identifier: MIT
// Requests, answers and failures, with real processes.
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "core/worker/program.h"
#include "core/worker/shared_memory.h"
#include "tests/core/worker/worker_testing.h"

namespace workbench::worker::testing {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::size_t open_files() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST(Pool, AnswersTenThousandRequestsWithOneChild) {
    WorkerPool pool(options());
    for (int i = 0; i < 100; ++i) {
        auto lease = pool.borrow();
        ASSERT_TRUE(lease) << lease.error().what;
        for (int j = 0; j < 100; ++j) {
            const std::string text = std::to_string(i) + "/" + std::to_string(j);
            ASSERT_EQ(ask(*lease, request_text(Action::echo, text)), text);
        }
    }
    EXPECT_EQ(pool.statistics().servers_started, 1U);
    EXPECT_EQ(pool.statistics().children_forked, 1U);
    EXPECT_EQ(pool.statistics().requests, 10'000U);
}

TEST(Pool, CarriesEmptyAndLargePayloads) {
    WorkerPool pool(options());
    EXPECT_EQ(ask(pool, request_text(Action::echo, "")), "");
    std::string large(default_frame_limit, 'a');
    for (std::size_t i = 0; i < large.size(); i += 4099) large[i] = static_cast<char>(i);
    const auto answer = ask(pool, request_text(Action::echo, large));
    ASSERT_TRUE(answer) << words(answer);
    EXPECT_TRUE(*answer == large);
}

TEST(Pool, DeliversMessagesBeforeTheAnswer) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(lease->begin(request(Action::echo_after_messages, std::uint32_t{1000}), {}));
    int messages = 0;
    for (;;) {
        const auto frame = lease->receive();
        ASSERT_TRUE(frame) << frame.error().what;
        if (lease->answered()) break;
        EXPECT_EQ(frame->payload, "message");
        ++messages;
    }
    EXPECT_EQ(messages, 1000);
}

TEST(Pool, SendsFramesInTheMiddleOfARequest) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(lease->begin(request(Action::converse), {}));
    auto question = lease->receive();
    ASSERT_TRUE(question);
    EXPECT_FALSE(lease->answered());
    ASSERT_TRUE(lease->send(request_text(Action::echo, "this")));
    const auto answer = lease->receive();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(lease->answered());
    EXPECT_EQ(answer->payload, "this");
}

TEST(Pool, SharesAHundredMegabytesBothWays) {
    WorkerPool pool(options());
    constexpr std::size_t size = 100'000'000;
    auto memory = SharedMemory::create(size);
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_EQ(memory->bytes()[size / 2], std::byte{0});
    std::ranges::fill(memory->bytes(), std::byte{41});
    auto handle = memory->share();
    ASSERT_TRUE(handle);
    memory->close_handle();
    EXPECT_FALSE(memory->share());
    Frame frame = request(Action::fill_shared, std::uint64_t{size});
    frame.handles.push_back(std::move(*handle));
    const auto answer = ask(pool, std::move(frame));
    ASSERT_TRUE(answer) << words(answer);
    EXPECT_EQ(std::ranges::count(memory->bytes(), std::byte{42}), static_cast<std::ptrdiff_t>(size));
}

TEST(Pool, RefusesSharedMemoryOfAnotherSize) {
    auto memory = SharedMemory::create(4096);
    ASSERT_TRUE(memory);
    EXPECT_FALSE(SharedMemory::map(std::move(*memory->share()), 8192));
    EXPECT_FALSE(SharedMemory::map(std::move(*memory->share()), 0));
    EXPECT_TRUE(SharedMemory::map(std::move(*memory->share()), 4096));
    EXPECT_FALSE(SharedMemory::map(FileHandle(), 4096));
    EXPECT_FALSE(SharedMemory::create(0));
}

// Each way to end without an answer costs that request and nothing else.
struct BadEnd {
    const char* name;
    Action action;
    FailureKind kind;
    const char* words;
};
class EveryBadEnd : public ::testing::TestWithParam<BadEnd> {};

TEST_P(EveryBadEnd, CostsOneRequest) {
    WorkerPool pool(options());
    ASSERT_EQ(ask(pool, request_text(Action::echo, "before")), "before");
    const auto failure = ask(pool, request(GetParam().action, std::int32_t{7}));
    ASSERT_FALSE(failure);
    EXPECT_EQ(failure.error().kind, GetParam().kind) << words(failure);
    EXPECT_THAT(failure.error().what, ::testing::HasSubstr(GetParam().words));
    EXPECT_EQ(ask(pool, request_text(Action::echo, "after")), "after");
    EXPECT_EQ(pool.statistics().servers_started, 1U);
    EXPECT_EQ(pool.statistics().children_forked, 2U);
}

INSTANTIATE_TEST_SUITE_P(
    Pool, EveryBadEnd,
    ::testing::Values(BadEnd{"Crash", Action::segmentation_fault, FailureKind::died,
                             "crashed (signal 11, segmentation fault)"},
                      BadEnd{"Abort", Action::abort_process, FailureKind::died,
                             "crashed (signal 6, aborted)"},
                      BadEnd{"Exit", Action::leave, FailureKind::died, "ended by itself with exit code 7"},
                      BadEnd{"HugeFrame", Action::huge_frame, FailureKind::protocol,
                             "a frame of 1152921504606846976 bytes"},
                      BadEnd{"Garbage", Action::garbage, FailureKind::protocol, "bytes that are not a frame"},
                      BadEnd{"PassedFile", Action::pass_a_file, FailureKind::protocol, "passed files"},
                      BadEnd{"ClosedConnection", Action::close_connection, FailureKind::died, "signal 9"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Pool, QuotesWhatAHandlerThrew) {
    WorkerPool pool(options());
    const auto failure = ask(pool, request_text(Action::throw_error, "no such\ncolour"));
    ASSERT_FALSE(failure);
    EXPECT_EQ(failure.error().kind, FailureKind::threw);
    EXPECT_EQ(failure.error().what, "failed: no such colour");
}

TEST(Pool, KeepsWhatTheWorkerPrintedForALog) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(ask(*lease, request_text(Action::print, std::string(100'000, 'x'))));
    ASSERT_TRUE(ask(*lease, request_text(Action::print, "a library's own words\n")));
    const auto failure = ask(*lease, request(Action::abort_process));
    ASSERT_FALSE(failure);
    EXPECT_LE(failure.error().output.size(), 4096U);
    EXPECT_THAT(failure.error().output, ::testing::HasSubstr("xxx"));
}

TEST(Pool, StartsAServerThatWasKilledAgain) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(ask(*lease, request_text(Action::echo, "")));
    // The server is the parent of the child.
    std::ifstream stat("/proc/" + std::to_string(lease->process_id()) + "/stat");
    std::string word;
    pid_t server = 0;
    stat >> word >> word >> word >> server;
    ASSERT_GT(server, 1);
    ASSERT_EQ(::kill(server, SIGKILL), 0);
    // The request under way may get through or be lost with its child; the next is served by a new server.
    static_cast<void>(ask(*lease, request(Action::sleep_politely), {.silence = 20s}));
    const auto answer = ask(pool, request_text(Action::echo, "again"));
    EXPECT_EQ(answer, "again") << words(answer);
    EXPECT_EQ(pool.statistics().servers_started, 2U);
}

TEST(Pool, ReplacesAWarmChildThatEndedWithoutAWord) {
    if (thread_sanitized)
        GTEST_SKIP() << "the sanitizer's own thread may hold the connection when the main one has ended";
    WorkerPool pool(options());
    const auto kill_and_wait = [](int process_id) {
        ASSERT_EQ(::kill(process_id, SIGKILL), 0);
        for (std::string number, name, state; state != "Z"; std::this_thread::sleep_for(1ms)) {
            std::ifstream stat("/proc/" + std::to_string(process_id) + "/stat");
            ASSERT_TRUE(stat >> number >> name >> state);
        }
    };
    {
        auto lease = pool.borrow();
        ASSERT_TRUE(lease);
        ASSERT_EQ(ask(*lease, request_text(Action::echo, "one")), "one");
        kill_and_wait(lease->process_id());
        ASSERT_EQ(ask(*lease, request_text(Action::echo, "two")), "two");
        kill_and_wait(lease->process_id());
    }
    EXPECT_EQ(ask(pool, request_text(Action::echo, "last")), "last");
    EXPECT_EQ(pool.statistics().servers_started, 1U);
}

TEST(Pool, ServesEightThreadsAtOnce) {
    PoolOptions chosen = options();
    chosen.most_sessions = 8;
    WorkerPool pool(chosen);
    std::atomic<int> right = 0;
    std::atomic<int> crashed = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 50; ++i) {
                    const std::string text = std::to_string(t * 1000 + i);
                    if (i % 10 == 9) {
                        const auto failure = ask(pool, request(Action::segmentation_fault));
                        crashed += !failure && failure.error().kind == FailureKind::died;
                    } else {
                        right += ask(pool, request_text(Action::echo, text)) == text;
                    }
                }
            });
        }
    }
    EXPECT_EQ(right, 8 * 45);
    EXPECT_EQ(crashed, 8 * 5);
    EXPECT_EQ(pool.statistics().servers_started, 1U);
}

TEST(Pool, WaitsForASessionAndGivesUpWhenAsked) {
    PoolOptions chosen = options();
    chosen.most_sessions = 1;
    WorkerPool pool(chosen);
    auto lease = std::make_unique<Lease>(std::move(*pool.borrow()));
    std::stop_source stop;
    std::jthread waiter([&] {
        const auto refused = pool.borrow(stop.get_token());
        EXPECT_EQ(refused ? FailureKind::died : refused.error().kind, FailureKind::cancelled);
    });
    stop.request_stop();
    waiter.join();
    std::jthread second([&] { EXPECT_EQ(ask(pool, request_text(Action::echo, "mine")), "mine"); });
    lease.reset();
}

TEST(Pool, CancelKeepsAChildThatAnswersAndKillsOneThatDoesNot) {
    for (const Action action : {Action::sleep_politely, Action::wait_for_frame, Action::sleep_forever,
                                Action::use_processor, Action::talk_for_ever}) {
        const bool kept = action == Action::sleep_politely || action == Action::wait_for_frame;
        PoolOptions chosen = options();
        if (kept) chosen.cancel_grace = 20s;  // as long as a busy machine needs
        WorkerPool pool(chosen);
        std::stop_source stop;
        auto lease = pool.borrow(stop.get_token());
        ASSERT_TRUE(lease);
        ASSERT_TRUE(lease->begin(request(action), {}));
        std::jthread canceller([&] {
            std::this_thread::sleep_for(10ms);
            stop.request_stop();
        });
        Outcome<Frame> got;
        do {
            got = lease->receive();
        } while (got);
        EXPECT_EQ(got.error().kind, FailureKind::cancelled) << got.error().what;
        EXPECT_EQ(pool.statistics().children_killed, kept ? 0U : 1U);
        { const Lease done = std::move(*lease); }
        EXPECT_EQ(ask(pool, request_text(Action::echo, "next")), "next");
        EXPECT_EQ(pool.statistics().children_forked, kept ? 1U : 2U);
    }
}

// A child that has served all the requests that it may is not waited for: its answer would keep nothing.
TEST(Pool, CancelEndsAtOnceAChildThatWouldNotServeAgain) {
    PoolOptions chosen = options();
    chosen.most_requests = 1;
    chosen.cancel_grace = 1h;
    WorkerPool pool(chosen);
    for (const Action action : {Action::sleep_politely, Action::sleep_forever}) {
        std::stop_source stop;
        auto lease = pool.borrow(stop.get_token());
        ASSERT_TRUE(lease);
        ASSERT_TRUE(lease->begin(request(action), {}));
        stop.request_stop();
        const auto got = lease->receive();
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().kind, FailureKind::cancelled);
    }
    EXPECT_EQ(pool.statistics().children_killed, 2U);
}

TEST(Pool, ACancelledTokenStartsNothing) {
    WorkerPool pool(options());
    std::stop_source stop;
    stop.request_stop();
    const auto refused = pool.borrow(stop.get_token());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, FailureKind::cancelled);
    EXPECT_EQ(pool.statistics().servers_started, 0U);
}

TEST(Pool, ALeaseGivenUpInTheMiddleEndsItsChild) {
    WorkerPool pool(options());
    {
        auto lease = pool.borrow();
        ASSERT_TRUE(lease);
        ASSERT_TRUE(lease->begin(request(Action::sleep_forever), {}));
    }
    EXPECT_EQ(pool.statistics().children_killed, 1U);
    EXPECT_EQ(ask(pool, request_text(Action::echo, "next")), "next");
}

TEST(Pool, ReplacesAChildThatGrew) {
    PoolOptions chosen = options();
    chosen.most_kept_bytes = 1;
    WorkerPool pool(chosen);
    // Freed blocks of this size stay in the child's heap.
    std::vector<int> children;
    for (int i = 0; i < 3; ++i) {
        auto lease = pool.borrow();
        ASSERT_TRUE(lease);
        children.push_back(lease->process_id());
        ASSERT_TRUE(ask(*lease, request_text(Action::echo, std::string(1 << 20, 'x'))));
    }
    EXPECT_NE(children.front(), children.back());
}

TEST(Pool, ReplacesAChildThatHasServedEnough) {
    PoolOptions chosen = options();
    chosen.most_requests = 2;
    WorkerPool pool(chosen);
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ask(*lease, request_text(Action::echo, "")));
    EXPECT_EQ(pool.statistics().children_forked, 3U);
    EXPECT_EQ(pool.statistics().children_died, 0U);
}

TEST(Pool, LeavesNoOpenFilesBehind) {
    WorkerPool pool(options());
    ASSERT_TRUE(ask(pool, request_text(Action::echo, "")));
    const std::size_t before = open_files();
    for (int i = 0; i < 200; ++i) ASSERT_FALSE(ask(pool, request(Action::abort_process)));
    ASSERT_TRUE(ask(pool, request_text(Action::echo, "")));
    EXPECT_EQ(open_files(), before);
    for (int i = 0; i < 3; ++i) WorkerPool(options()).start();
    EXPECT_EQ(open_files(), before);
}

TEST(Pool, AChildHasOnlyItsOwnFilesOpen) {
    const std::ifstream ours(IIR2D_SOURCE_DIR "/LICENSE");  // closed on exec or not
    const int loose = ::dup(1);
    WorkerPool pool(options());
    // The standard three and the connection; its number does not matter.
    const auto first = ask(pool, request(Action::list_open_files));
    ASSERT_TRUE(first) << words(first);
    EXPECT_EQ(std::ranges::count(*first, ' '), 4) << *first;
    // Another child does not see the first one's.
    auto lease = pool.borrow();
    auto other = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(other);
    const auto second = ask(*other, request(Action::list_open_files));
    ASSERT_TRUE(second) << words(second);
    EXPECT_EQ(std::ranges::count(*second, ' '), 4) << *second;
    ::close(loose);
}

TEST(Start, SaysWhyItCouldNot) {
    const auto reason = [](PoolOptions chosen) {
        WorkerPool pool(std::move(chosen));
        const auto started = pool.start();
        EXPECT_FALSE(started);
        if (started) return std::string();
        EXPECT_EQ(started.error().kind, FailureKind::could_not_start);
        return started.error().what;
    };
    using ::testing::HasSubstr;
    PoolOptions missing = options();
    missing.program = "/nowhere/iir2d-worker";
    EXPECT_EQ(reason(missing), "could not be started: /nowhere/iir2d-worker: No such file or directory");
    PoolOptions other = options();
    other.program = "/bin/true";
    EXPECT_THAT(reason(other), HasSubstr("ended by itself with exit code 0"));
    EXPECT_EQ(reason(options("unprepared")), "could not be started: a library is missing: argument");
    EXPECT_THAT(reason(options("crashing")), HasSubstr("crashed (signal 6, aborted)"));
    EXPECT_THAT(reason(options("unknown")), HasSubstr("ended by itself with exit code 2"));
    PoolOptions hanging = options("hanging");
    hanging.start_patience = 100ms;
    EXPECT_THAT(reason(hanging), HasSubstr("not ready after"));
}

TEST(Start, IsGivenUpWhenCancelled) {
    WorkerPool pool(options("hanging"));
    std::stop_source stop;
    std::jthread canceller([&] {
        std::this_thread::sleep_for(10ms);
        stop.request_stop();
    });
    const auto refused = pool.borrow(stop.get_token());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, FailureKind::cancelled);
}

TEST(Start, InAdvanceIsGivenUpWhenCancelled) {
    PoolOptions chosen = options("hanging");
    chosen.start_patience = 1h;
    WorkerPool pool(chosen);
    std::jthread starter([&](const std::stop_token& stop) {
        const auto started = pool.start(stop);
        ASSERT_FALSE(started);
        EXPECT_EQ(started.error().kind, FailureKind::cancelled);
    });
    std::this_thread::sleep_for(10ms);
}

TEST(Start, PreparesOnceAndEarly) {
    WorkerPool pool(options());
    const auto protections = pool.start();
    ASSERT_TRUE(protections) << protections.error().what;
    EXPECT_TRUE(protections->memory_limit);
    EXPECT_TRUE(protections->ends_with_program);
    EXPECT_EQ(describe(*protections).size(), 4U);
    ASSERT_TRUE(ask(pool, request_text(Action::echo, "")));
    EXPECT_EQ(pool.start(), *protections);
    EXPECT_EQ(pool.statistics().servers_started, 1U);
    EXPECT_GT(pool.statistics().last_start.count(), 0);
    EXPECT_GT(pool.statistics().last_fork.count(), 0);
}

TEST(Program, IsLookedForBesideThisOneOrWhereItIsSaid) {
    EXPECT_EQ(find_worker_program("no-such-worker").parent_path(),
              fs::read_symlink("/proc/self/exe").parent_path());
    ::setenv("IIR2D_WORKER_DIR", "/somewhere", 1);
    EXPECT_EQ(find_worker_program(), "/somewhere/iir2d-worker");
    ::unsetenv("IIR2D_WORKER_DIR");
    EXPECT_TRUE(find_worker_program().is_absolute());
}

}  // namespace
}  // namespace workbench::worker::testing
