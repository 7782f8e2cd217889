// SPDX-License-Identifier: MIT
// What the engine promises, by counts and order. How fast it is, tests/bench/preview_bench.cpp says.
#include "core/preview/preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/core/preview/preview_testing.h"

namespace workbench {
namespace {

using namespace std::chrono_literals;
using namespace preview_testing;
using testing::HasSubstr;

TEST(Preview, AChangeGivesAProxyThenTheExactResult) {
    Log log;
    PreviewEngine engine(log.callbacks());
    const ImagePtr source = image(640, 400);
    engine.set_proxy_limit(160, 160);
    engine.set_source(source);
    const auto change = engine.submit({.operations = {filter(6), pool(iir2d::PoolOp::max, {2, 2})}});
    ASSERT_TRUE(log.wait_for_state(State::idle, change));

    const auto frames = log.frames();
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].quality, PreviewQuality::proxy);
    EXPECT_EQ(frames[0].change, change);
    EXPECT_EQ(frames[0].factor, 4.0);
    EXPECT_EQ(frames[0].proxy_size, (iir2d::Extent{100, 160}));
    EXPECT_EQ(frames[0].exact_shape, (iir2d::Shape{1, 3, 200, 320}));
    EXPECT_EQ(frames[0].result->info.width, frames[0].result->pixels.width());
    EXPECT_GT(frames[0].compute_time.count(), 0);
    EXPECT_EQ(frames[1].quality, PreviewQuality::exact);
    EXPECT_EQ(frames[1].change, change);
    EXPECT_EQ(frames[1].factor, 1.0);
    EXPECT_EQ(frames[1].exact_shape, (iir2d::Shape{1, 3, 200, 320}));
    EXPECT_EQ(frames[1].result->info.width, 320);
    EXPECT_GT(frames[1].compute_time.count(), 0);
    EXPECT_FALSE(frames[0].gpu_time || frames[1].gpu_time) << "the CPU computed: nothing was transferred";
}

TEST(Preview, TheExactFrameHasTheBytesOfApply) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(100, 100);
    Image with_alpha = *image(300, 200, 4);
    with_alpha.info.alpha_channel = 3;
    const auto source = std::make_shared<const Image>(std::move(with_alpha));
    engine.set_source(source);
    // Several, so that memory is used again.
    for (const double sigma : {1.0, 2.0, 3.0}) {
        Recipe recipe{.keep_alpha = true,
                      .operations = {filter(6, {{"sigma", sigma}}), filter(5, {}, iir2d::Precision::f64)}};
        const auto change = engine.submit(recipe);
        ASSERT_TRUE(log.wait_for_exact(change));
        const auto direct = apply(recipe, *source, cpu());
        EXPECT_TRUE(same_bytes(log.frames().back().result->pixels, direct->pixels));
    }
    // What was handed out is not written again.
    const auto first =
        apply({.keep_alpha = true,
               .operations = {filter(6, {{"sigma", 1.0}}), filter(5, {}, iir2d::Precision::f64)}},
              *source, cpu());
    EXPECT_TRUE(same_bytes(log.frames()[1].result->pixels, first->pixels));
}

TEST(Preview, ASourceNoLargerThanTheLimitIsComputedOnceExactly) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(64, 48);
    engine.set_source(image(64, 48));
    const auto change = engine.submit(blur(2));
    ASSERT_TRUE(log.wait_for_state(State::idle, change));
    ASSERT_EQ(log.frames().size(), 1U);
    EXPECT_EQ(log.frames()[0].quality, PreviewQuality::exact);
}

TEST(Preview, ARecipeThatDoesNothingShowsTheSourceItself) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(10, 10);
    const ImagePtr source = image(64, 48);
    engine.set_source(source);
    const auto change = engine.submit({});
    ASSERT_TRUE(log.wait_for_exact(change));
    EXPECT_EQ(log.frames().size(), 1U);
    EXPECT_EQ(log.frames()[0].result, source);
}

TEST(Preview, TheLatestChangeWins) {
    Log log;
    Gate gate;
    log.on_frame = [&](const PreviewFrame&) { gate.wait(); };
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(200, 200);
    engine.set_source(image(900, 700));
    const std::uint64_t first = engine.submit(blur(1));
    gate.wait_for_visitor();
    std::uint64_t last = first;
    for (int i = 1; i < 500; ++i) {  // while the first proxy is being delivered
        const auto change = engine.submit(blur(1 + i * 0.01));
        EXPECT_GT(change, last);
        last = change;
    }
    gate.open_for_good();
    ASSERT_TRUE(log.wait_for_state(State::idle, last));
    const auto frames = log.frames();
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].change, first);
    EXPECT_EQ(frames[1].change, last);
    EXPECT_EQ(frames[1].quality, PreviewQuality::proxy);
    EXPECT_EQ(frames[2].change, last);
    EXPECT_EQ(frames[2].quality, PreviewQuality::exact);
}

// A change that arrives whenever a proxy is out finds the exact pass running, and stops it. So every change
// has its proxy, however long the exact pass would be.
TEST(Preview, ChangesNeverStarveTheProxy) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(80, 80);
    engine.set_source(image(1600 / slowness, 1200 / slowness));
    Recipe recipe = slow();
    constexpr std::uint64_t changes = sanitized ? 8 : 30;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < changes; ++i) {
        recipe.operations[0] = filter(6, {{"sigma", 1.0 + static_cast<double>(i) / 10}});
        last = engine.submit(recipe);
        ASSERT_TRUE(log.wait([&](const auto& frames, const auto&) {
            return !frames.empty() && frames.back().change == last;
        }));
    }
    ASSERT_TRUE(log.wait_for_exact(last));
    EXPECT_EQ(log.count(PreviewQuality::proxy), changes);
}

TEST(Preview, OnlyTheNewestChangeHasAnExactFrame) {
    Log log;
    Gate gate;
    log.on_frame = [&](const PreviewFrame& frame) {
        if (frame.quality == PreviewQuality::proxy) gate.wait();
    };
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(80, 80);
    engine.set_source(image(300, 200));
    std::uint64_t last = engine.submit(blur(1));
    for (int i = 0; i < 20; ++i) {
        gate.wait_for_visitor();
        last = engine.submit(blur(2 + i));  // while the proxy of the change before is being delivered
        gate.open_once();
    }
    gate.open_for_good();
    ASSERT_TRUE(log.wait_for_exact(last));
    EXPECT_EQ(log.count(PreviewQuality::proxy), 21U);
    EXPECT_EQ(log.count(PreviewQuality::exact), 1U);
}

TEST(Preview, ProgressOfTheExactPassIsReported) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(40, 40);
    engine.set_source(image(800 / slowness, 600 / slowness));
    const auto change = engine.submit(slow());
    ASSERT_TRUE(log.wait_for_state(State::idle, change));
    double last = 0;
    int computing = 0;
    for (const PreviewStatus& status : log.statuses()) {
        if (status.state != State::computing) continue;
        ++computing;
        EXPECT_GE(status.progress, last);
        EXPECT_LE(status.progress, 1.0);
        last = status.progress;
    }
    EXPECT_GT(computing, 5);
    EXPECT_LE(computing, 55);
    EXPECT_GT(last, 0.5);
}

TEST(Preview, CancelStopsTheExactPassAndTheEngineGoesOn) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(40, 40);
    engine.set_source(image(1600 / slowness, 1200 / slowness));
    const auto change = engine.submit(slow());
    ASSERT_TRUE(log.wait_for_frames(1));
    engine.cancel();
    const std::size_t frames = log.frames().size();
    ASSERT_TRUE(log.wait_for_state(State::idle, change));
    EXPECT_EQ(log.frames().size(), frames);

    const auto next = engine.submit(blur(1));
    ASSERT_TRUE(log.wait_for_exact(next));
}

TEST(Preview, CancelDropsWhatWaitsAndSaysIdle) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(100, 100);
    engine.set_source(image(300, 200));
    for (int i = 0; i < 200; ++i) {
        const auto change = engine.submit(blur(1 + i * 0.01));
        engine.cancel();
        const std::size_t frames = log.frames().size();
        ASSERT_TRUE(log.wait_for_state(State::idle, change)) << i;
        EXPECT_EQ(log.frames().size(), frames);
    }
}

TEST(Preview, WhatIsWrongIsReportedAndTheEngineGoesOn) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(50, 50);
    engine.set_source(image(100, 80));
    const auto bad = engine.submit({.operations = {filter(1), pool(iir2d::PoolOp::max, {81, 1})}});
    ASSERT_TRUE(log.wait_for_state(State::failed, bad));
    const auto status = log.statuses().back();
    ASSERT_TRUE(status.error);
    EXPECT_EQ(status.error->kind, ErrorKind::bad_argument);
    EXPECT_THAT(status.error->message, HasSubstr("operation 2 (max pooling): window 81x1"));
    EXPECT_TRUE(log.frames().empty());

    const auto unstable = engine.submit({.operations = {filter(3, {{"a1", 2}})}});
    ASSERT_TRUE(log.wait_for_state(State::failed, unstable));

    const auto good = engine.submit(blur(1));
    ASSERT_TRUE(log.wait_for_state(State::idle, good));
    EXPECT_EQ(log.frames().size(), 2U);
}

TEST(Preview, WithoutASourceAChangeWaitsForOne) {
    Log log;
    PreviewEngine engine(log.callbacks());
    const auto change = engine.submit(blur(1));
    ASSERT_TRUE(log.wait_for_state(State::idle, change));
    EXPECT_TRUE(log.frames().empty());
    engine.set_source(image(30, 20));
    ASSERT_TRUE(log.wait_for_exact(change));
}

TEST(Preview, ANewSourceIsComputedWithTheLastRecipeAndTheOldOneIsSeenNoMore) {
    Log log;
    std::atomic<bool> changed = false;
    std::atomic<int> late = 0;
    log.on_frame = [&](const PreviewFrame& frame) {
        if (changed && frame.exact_shape.w != 90) ++late;
    };
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(64, 64);
    engine.set_source(image(1200 / slowness, 900 / slowness));
    const auto change = engine.submit(slow());
    ASSERT_TRUE(log.wait_for_frames(1));
    const ImagePtr other = image(90, 70);
    engine.set_source(other);
    changed = true;
    ASSERT_TRUE(log.wait([&](const auto& frames, const auto&) {
        return frames.back().quality == PreviewQuality::exact && frames.back().exact_shape.w == 90;
    }));
    EXPECT_EQ(late, 0);
    const auto frames = log.frames();
    EXPECT_EQ(frames[frames.size() - 2].quality, PreviewQuality::proxy);
    EXPECT_EQ(frames[frames.size() - 2].exact_shape, (iir2d::Shape{1, 3, 70, 90}));
    EXPECT_EQ(frames.back().change, change);
    EXPECT_TRUE(same_bytes(frames.back().result->pixels, apply(slow(), *other, cpu())->pixels));
}

TEST(Preview, ClearingTheSourceStopsEverything) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(64, 64);
    engine.set_source(image(1200 / slowness, 900 / slowness));
    engine.submit(slow());
    ASSERT_TRUE(log.wait_for_frames(1));
    engine.set_source(nullptr);
    const std::size_t frames = log.frames().size();
    const auto change = engine.submit(blur(1));
    ASSERT_TRUE(log.wait_for_state(State::idle, change));
    EXPECT_EQ(log.frames().size(), frames);
}

TEST(Preview, ADeviceIsUsedForTheLastRecipeAgain) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(50, 50);
    engine.set_source(image(100, 80));
    const auto change = engine.submit(blur(2));
    ASSERT_TRUE(log.wait_for_exact(change));
    engine.set_device(*iir2d::Device::cpu(1));
    ASSERT_TRUE(log.wait_for_frames(4));
    const auto frames = log.frames();
    EXPECT_EQ(frames[3].change, change);
    EXPECT_TRUE(same_bytes(frames[1].result->pixels, frames[3].result->pixels));
}

TEST(Preview, ANewLimitMakesANewProxyUnlessTheExactResultIsOut) {
    Log log;
    Gate gate;
    log.on_frame = [&](const PreviewFrame& frame) {
        if (frame.quality == PreviewQuality::proxy) gate.wait();
    };
    PreviewEngine engine(log.callbacks());
    engine.set_proxy_limit(40, 40);
    engine.set_source(image(400, 300));
    const auto change = engine.submit(blur(2));
    gate.wait_for_visitor();
    engine.set_proxy_limit(80, 80);  // while the first proxy is being delivered
    gate.open_for_good();
    ASSERT_TRUE(log.wait_for_state(State::idle, change));
    const auto frames = log.frames();
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].proxy_size, (iir2d::Extent{30, 40}));
    EXPECT_EQ(frames[1].proxy_size, (iir2d::Extent{60, 80}));
    EXPECT_EQ(frames[2].quality, PreviewQuality::exact);

    engine.set_proxy_limit(50, 50);
    const auto next = engine.submit(blur(1));
    ASSERT_TRUE(log.wait_for_exact(next));
    EXPECT_EQ(log.frames().size(), 5U);
    EXPECT_EQ(log.frames()[3].proxy_size.w, 50);
    EXPECT_EQ(log.frames()[3].change, next);
}

TEST(Preview, IsDestructedWhileItRuns) {
    for (int i = 0; i < 20; ++i) {
        Log log;
        PreviewEngine engine(log.callbacks());
        engine.set_proxy_limit(64, 64);
        engine.set_source(image(800, 600));
        engine.submit(slow());
        if (i % 2 == 1) {
            ASSERT_TRUE(log.wait_for_frames(1));
        }
        if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(i));
    }
}

TEST(Preview, AFrameOutlivesTheEngine) {
    PreviewFrame kept;
    {
        Log log;
        PreviewEngine engine(log.callbacks());
        engine.set_source(image(40, 30));
        ASSERT_TRUE(log.wait_for_exact(engine.submit(blur(1))));
        kept = log.frames().back();
    }
    EXPECT_EQ(kept.result->pixels.width(), 40);
}

TEST(Preview, AResultMayBecomeTheSource) {
    Log log;
    PreviewEngine engine(log.callbacks());
    engine.set_source(image(40, 30));
    ASSERT_TRUE(log.wait_for_exact(engine.submit(blur(1))));
    engine.set_source(log.frames().back().result);
    const auto change = engine.submit(blur(2));
    ASSERT_TRUE(log.wait_for_exact(change));
    engine.set_source(nullptr);
}

TEST(Preview, EverythingAtOnceFromAnotherThread) {
    Log log;
    PreviewEngine engine(log.callbacks());
    const std::vector<ImagePtr> sources{image(300, 200), image(90, 400, 1), image(31, 17, 4), nullptr};
    for (std::size_t i = 0; i < 600; ++i) {
        switch (splitmix64(3, i) % 8) {
            case 0:
                engine.set_source(sources[i % sources.size()]);
                break;
            case 1:
                engine.set_proxy_limit(20 + static_cast<std::int64_t>(i) % 200, 100);
                break;
            case 2:
                engine.cancel();
                break;
            case 3:
                engine.set_device(*iir2d::Device::cpu(1 + static_cast<int>(i % 3)));
                break;
            case 4:
                std::this_thread::sleep_for(1ms);
                break;
            default:
                engine.submit(
                    {.operations = {filter(1 + static_cast<int>(i % 8)),
                                    pool(iir2d::PoolOp::max, {1 + static_cast<std::int64_t>(i) % 40, 2})}});
        }
    }
    engine.set_source(sources[0]);
    ASSERT_TRUE(log.wait_for_exact(engine.submit(blur(3))));
}

}  // namespace
}  // namespace workbench
