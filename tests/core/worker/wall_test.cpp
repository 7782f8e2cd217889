// SPDX-License-Identifier: MIT
// What a worker cannot do: take too much, take too long, reach the machine.
#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <fstream>

#include "tests/core/worker/worker_testing.h"

namespace workbench::worker::testing {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

TEST(Memory, BeyondTheLimitIsAFailureThatSaysSo) {
    if (sanitized) GTEST_SKIP() << "limits cannot tell the sanitizer's memory from the worker's";
    WorkerPool pool(options());
    const Limits limits{.memory_bytes = 64 * mebibyte};
    EXPECT_EQ(ask(pool, request(Action::take_memory, 32 * mebibyte), limits), "120");
    const auto failure = ask(pool, request(Action::take_memory, std::uint64_t{1} << 40), limits);
    ASSERT_FALSE(failure);
    EXPECT_EQ(failure.error().kind, FailureKind::out_of_memory);
    EXPECT_EQ(failure.error().what, "needed more memory than the 64 MiB that it may take");
    EXPECT_EQ(ask(pool, request(Action::take_memory, 32 * mebibyte), limits), "120");
    // A decoder in C gets no memory either.
    EXPECT_EQ(ask(pool, request(Action::take_heap, 128 * mebibyte), limits), "none");
    EXPECT_EQ(ask(pool, request(Action::take_heap, 128 * mebibyte), {}), "had it");
}

TEST(Memory, TheLimitHoldsForEachRequestAnew) {
    if (sanitized) GTEST_SKIP() << "limits cannot tell the sanitizer's memory from the worker's";
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(ask(*lease, request(Action::take_heap, 40 * mebibyte), {.memory_bytes = 48 * mebibyte}),
                  "had it");
        EXPECT_EQ(ask(*lease, request(Action::take_heap, 40 * mebibyte), {.memory_bytes = 8 * mebibyte}),
                  "none");
    }
}

TEST(Memory, ALimitCanBeRaisedWithinARequest) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(lease->begin(request(Action::converse), {.memory_bytes = mebibyte}));
    ASSERT_TRUE(lease->receive());
    ASSERT_TRUE(lease->limit({.memory_bytes = 64 * mebibyte}));
    ASSERT_TRUE(lease->send(request_text(Action::echo, std::string(8 * mebibyte, 'x'))));
    const auto answer = lease->receive();
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->payload.size(), 8 * mebibyte);
}

TEST(Time, SilenceEndsAChildThatHangs) {
    WorkerPool pool(options());
    const auto failure = ask(pool, request(Action::sleep_forever), {.silence = 50ms});
    ASSERT_FALSE(failure);
    EXPECT_EQ(failure.error().kind, FailureKind::silent);
    EXPECT_EQ(failure.error().what, "gave no sign of life for 0.1 s");
    EXPECT_EQ(ask(pool, request_text(Action::echo, "next"), {.silence = 20s}), "next");
}

TEST(Time, AChildThatTakesNoFramesIsSilent) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(lease->begin(request(Action::sleep_forever), {.silence = 50ms}));
    const auto sent = lease->send(request_text(Action::echo, std::string(8 * mebibyte, 'x')));
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().kind, FailureKind::silent);
}

TEST(Time, ProcessorTimeIsLimitedAlsoForOneThatTalks) {
    WorkerPool pool(options());
    const auto failure = ask(pool, request(Action::use_processor), {.processor_time = 150ms});
    ASSERT_FALSE(failure);
    EXPECT_EQ(failure.error().kind, FailureKind::processor_time);
    EXPECT_EQ(failure.error().what, "took more than the 0.2 s of processor time that it may take");
    const auto talking = ask(pool, request(Action::talk_for_ever), {.processor_time = 1ms});
    ASSERT_FALSE(talking);
    EXPECT_EQ(talking.error().kind, FailureKind::processor_time);
}

// The system's own limit, which ends a child while the program is stopped, is said in the same words.
TEST(Time, TheSystemsLimitIsSaidInTheSameWords) {
    WorkerPool pool(options());
    auto lease = pool.borrow();
    ASSERT_TRUE(lease);
    ASSERT_TRUE(lease->begin(request(Action::sleep_forever), {.processor_time = 5s}));
    ::kill(lease->process_id(), SIGXCPU);
    const auto failure = lease->receive();
    ASSERT_FALSE(failure);
    EXPECT_EQ(failure.error().kind, FailureKind::processor_time);
    EXPECT_EQ(failure.error().what, "took more than the 5 s of processor time that it may take");
}

// Beside what the filter refuses, so that it is known to be there.
class Filter : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto protections = m_pool.start();
        ASSERT_TRUE(protections) << protections.error().what;
        if (!protections->system_call_filter) GTEST_SKIP() << describe(*protections)[2];
    }
    // "0", or the error number that the call got.
    std::string result(Action action, const std::string& payload = {}) {
        const auto answer = ask(m_pool, request_text(action, payload));
        return answer ? *answer : words(answer);
    }
    WorkerPool m_pool{options()};
    const std::string m_refused = std::to_string(EPERM);
};

TEST_F(Filter, RefusesWhatADecoderNeverNeeds) {
    const fs::path file = fs::temp_directory_path() / ("iir2d-wall-" + std::to_string(::getpid()));
    EXPECT_EQ(result(Action::write_file, file.string()), m_refused);
    EXPECT_FALSE(fs::exists(file));
    std::ofstream(file) << "content";
    EXPECT_EQ(result(Action::write_file, file.string()), m_refused);
    EXPECT_EQ(result(Action::remove_file, file.string()), m_refused);
    EXPECT_EQ(fs::file_size(file), 7U);
    EXPECT_EQ(result(Action::open_socket), m_refused);
    EXPECT_EQ(result(Action::start_program), m_refused);
    EXPECT_EQ(result(Action::fork_process), m_refused);
    EXPECT_EQ(result(Action::signal_parent), m_refused);
    EXPECT_EQ(result(Action::share_new_memory), m_refused);
    EXPECT_EQ(result(Action::new_code), m_refused);
    EXPECT_EQ(result(Action::raise_limits), m_refused);
    EXPECT_EQ(result(Action::own_a_file), m_refused);
    EXPECT_EQ(result(Action::read_file, file.string()), "0");
    EXPECT_EQ(result(Action::read_file, "/nowhere"), std::to_string(ENOENT));
    fs::remove(file);
    // All of that in one child, which is still well.
    EXPECT_EQ(m_pool.statistics().children_forked, 1U);
}

TEST_F(Filter, LeavesThreadsAndMemoryAlone) {
    const auto threads = ask(m_pool, request(Action::threads, std::uint32_t{8}));
    EXPECT_EQ(threads, "8") << words(threads);
    EXPECT_EQ(ask(m_pool, request(Action::take_memory, 100 * mebibyte)), "120");
}

}  // namespace
}  // namespace workbench::worker::testing
