// SPDX-License-Identifier: MIT
// A stop that comes before the work ends is answered, however little is left to do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>

#include "kernels/support/c_poll.h"
#include "kernels/support/parallel.h"

namespace {

using namespace iir2d;
using namespace std::chrono_literals;

TEST(RunStopping, IsHeardInTheLastBody) {
    for (const int threads : {1, 2, 8}) {
        for (const std::int64_t count : {1, 2, 100}) {
            std::stop_source stop;
            std::atomic<std::int64_t> ran{0};
            const bool finished =
                support::parallel_for(threads, count, {.stop = stop.get_token()}, {}, [&](std::int64_t) {
                    if (++ran == count) stop.request_stop();
                });
            EXPECT_FALSE(finished) << threads << " threads, " << count << " bodies";
            EXPECT_EQ(ran, count);
        }
    }
}

TEST(RunStopping, IsHeardFromTheCallersProgress) {
    for (const int threads : {1, 2, 8}) {
        std::stop_source stop;
        const RunControl control{.stop = stop.get_token(), .progress = [&](double) { stop.request_stop(); }};
        EXPECT_FALSE(support::parallel_for(threads, 100, control, {}, [](std::int64_t) {}));
    }
}

TEST(RunStopping, AFinishedLoopSaysSo) {
    for (const int threads : {1, 2, 8}) {
        std::stop_source stop;
        std::atomic<int> ran{0};
        EXPECT_TRUE(support::parallel_for(threads, 100, {.stop = stop.get_token()}, {},
                                          [&](std::int64_t) { ++ran; }));
        EXPECT_EQ(ran, 100);
    }
}

// Asked at its end, a run has nothing left to look at its stop token for.
TEST(RunStopping, APollCancelsARunThatIsAtItsEnd) {
    const auto asks_at_the_end = [](void*, double fraction) { return fraction == 1.0 ? 1 : 0; };
    support::Poll poll(asks_at_the_end, nullptr);
    const auto done = poll.during("the run", [](const RunControl& control) -> Result<void> {
        std::this_thread::sleep_for(5ms);  // longer than it goes unasked
        control.progress(1.0);
        return {};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::cancelled);
    EXPECT_EQ(done.error().message, "the run was cancelled");
}

}  // namespace
