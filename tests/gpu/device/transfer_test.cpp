// SPDX-License-Identifier: MIT
// Host planes to the device and back through the staging buffers, over the stand-in driver. Everything is
// also run with copies that wait in their stream until somebody waits for them: a buffer that is filled or
// emptied too early shows.
#include "kernels/device/cuda/run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace iir2d;
using cuda::HostPlanes;
using cuda::Run;

constexpr auto staging = static_cast<std::int64_t>(cuda::StagingBlock::bytes);

class Transfer : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override { scenario(GetParam()); }
    static void scenario(const char* text) { ASSERT_EQ(setenv("FAKE_CUDA", text, 1), 0); }
};

struct Layout {
    Shape shape;
    std::int64_t row_gap = 0;
    std::int64_t plane_gap = 0;
};

std::string describe(const Layout& l) {
    return std::to_string(l.shape.n * l.shape.c) + " planes of " + std::to_string(l.shape.w) + "x" +
           std::to_string(l.shape.h) + ", gaps " + std::to_string(l.row_gap) + " and " +
           std::to_string(l.plane_gap);
}

template <class S>
constexpr ElementType element_of = sizeof(S) == 8 ? ElementType::f64 : ElementType::f32;

template <class S>
HostPlanes planes_of(const Layout& l, const std::vector<S>& memory) {
    const std::int64_t row = l.shape.w + l.row_gap;
    const std::int64_t plane = row * l.shape.h + l.plane_gap;
    return {memory.data(), element_of<S>, l.shape, {row, plane, plane * l.shape.c}};
}

template <class S>
std::vector<S> memory_of(const Layout& l) {
    const std::int64_t plane = (l.shape.w + l.row_gap) * l.shape.h + l.plane_gap;
    return std::vector<S>(static_cast<std::size_t>(plane * l.shape.n * l.shape.c), S(-7));
}

// Gaps hold -7 and stay.
template <class S>
std::vector<S> numbered(const Layout& l) {
    std::vector<S> memory = memory_of<S>(l);
    const HostPlanes planes = planes_of(l, memory);
    S next = 0;
    for (std::int64_t p = 0; p < l.shape.n * l.shape.c; ++p) {
        for (std::int64_t y = 0; y < l.shape.h; ++y) {
            const auto at = static_cast<std::size_t>(p * planes.strides.plane + y * planes.strides.row);
            std::iota(memory.begin() + static_cast<std::ptrdiff_t>(at),
                      memory.begin() + static_cast<std::ptrdiff_t>(at) + l.shape.w, next);
            next += static_cast<S>(l.shape.w);
        }
    }
    return memory;
}

// Up as `from` lies and down as `to` does.
template <class S>
Result<void> there_and_back(const HostPlanes& from, const HostPlanes& to, const RunControl& control = {}) {
    auto run = Run::begin(0, control);
    if (!run) return std::unexpected(run.error());
    const auto memory = run->allocate(from.dense_bytes());
    if (!memory) return std::unexpected(memory.error());
    if (auto done = run->upload(from, memory->get(), {0.0, 0.5}); !done) return done;
    if (auto done = run->begin_work(); !done) return done;
    if (auto done = run->end_work(); !done) return done;
    if (auto done = run->download(memory->get(), to, {0.5, 0.5}); !done) return done;
    return run->finish();
}

template <class S>
void expect_round_trip(const Layout& from, const Layout& to) {
    const auto in = numbered<S>(from);
    const auto expected = numbered<S>(to);
    std::vector<S> out = memory_of<S>(to);
    RunTimes times;
    const auto done = there_and_back<S>(planes_of(from, in), planes_of(to, out), {.times = &times});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_TRUE(out == expected) << describe(from) << " to " << describe(to);
    const auto dense = static_cast<std::int64_t>(planes_of(from, in).dense_bytes());
    EXPECT_EQ(times.uploaded_bytes, dense);
    EXPECT_EQ(times.downloaded_bytes, dense);
    EXPECT_GT(times.upload_ms, 0.0);
    EXPECT_GT(times.download_ms, 0.0);
}

TEST_P(Transfer, AnyStridesGoThereAndBack) {
    const Shape small{.n = 2, .c = 3, .h = 7, .w = 5};
    for (const Layout& from : {Layout{small}, Layout{small, 3}, Layout{small, 0, 4}, Layout{small, 2, 9}}) {
        for (const Layout& to : {Layout{small}, Layout{small, 1, 5}}) {
            expect_round_trip<float>(from, to);
            expect_round_trip<double>(from, to);
        }
    }
    expect_round_trip<float>({{.h = 1, .w = 1}}, {{.h = 1, .w = 1}});
}

TEST_P(Transfer, PlanesLargerThanTheStagingGoInPieces) {
    // Three pieces a plane and a bit, rows and planes that begin and end within pieces.
    const Shape large{.c = 2, .h = 3 * staging / 4 / 1000 + 11, .w = 1000};
    expect_round_trip<float>({large}, {large, 0, 3});
    expect_round_trip<float>({large, 1}, {large});
    const Shape exact{.h = 2, .w = staging / 8};
    expect_round_trip<float>({exact, 5}, {exact});
    expect_round_trip<double>({exact, 5}, {exact});
}

TEST_P(Transfer, RowsWiderThanTheStagingGoInPieces) {
    const Shape wide{.h = 2, .w = staging / 4 + 77};
    expect_round_trip<float>({wide, 13}, {wide, 1, 2});
    expect_round_trip<double>({wide}, {wide, 3});
}

TEST_P(Transfer, AStrideOfMoreThanTwoGibibytesIsNoLimit) {
    // Address space without memory behind it, but where a row lies. The driver's own strided copy ends at a
    // pitch of 2 GiB.
    constexpr std::int64_t far = (std::int64_t{3} << 30) / 4;
    struct Free {
        void operator()(float* p) const { std::free(p); }
    };
    const std::unique_ptr<float, Free> memory(static_cast<float*>(std::calloc(far + 2, sizeof(float))));
    if (!memory) GTEST_SKIP() << "no 3 GiB of address space";
    memory.get()[0] = 1;
    memory.get()[1] = 2;
    memory.get()[far] = 3;
    memory.get()[far + 1] = 4;
    std::vector<float> out(4);
    const Shape shape{.h = 2, .w = 2};
    const auto done = there_and_back<float>({memory.get(), ElementType::f32, shape, {far, 2 * far}},
                                            {out.data(), ElementType::f32, shape, {2, 4}});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4}));
}

TEST_P(Transfer, StopsBetweenPieces) {
    const Layout layout{{.h = 6, .w = staging / 4}};
    const auto in = numbered<float>(layout);
    for (const double when : {0.1, 0.3, 0.6, 0.8}) {
        std::vector<float> out = memory_of<float>(layout);
        std::stop_source stop;
        double last = 0;
        const RunControl control{.stop = stop.get_token(), .progress = [&](double fraction) {
                                     EXPECT_GT(fraction, last);
                                     last = fraction;
                                     if (fraction >= when) stop.request_stop();
                                 }};
        const auto done = there_and_back<float>(planes_of(layout, in), planes_of(layout, out), control);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::cancelled);
        EXPECT_LT(last, when + 0.1) << "it went on for more than a piece";
        if (when < 0.5) {
            EXPECT_TRUE(out == memory_of<float>(layout)) << "nothing had come down";
        }
    }
    // What a stopped run leaves is in order.
    expect_round_trip<float>(layout, layout);
}

TEST_P(Transfer, GoesOnWithoutPinnedMemory) {
    // Blocks that were pinned before are kept, so more are taken than are kept.
    const auto context = *cuda::Context::get(0);
    scenario((std::string(GetParam()) + ",pinned=0").c_str());
    std::vector<cuda::StagingBuffer> taken;
    for (int i = 0; i < 9; ++i) {
        auto buffer = context->take_staging();
        ASSERT_TRUE(buffer) << buffer.error().message;
        taken.push_back(std::move(*buffer));
    }
    EXPECT_FALSE(taken.back().is_pinned());
    EXPECT_FALSE(context->lost());
    const Layout layout{{.h = 3, .w = staging / 8 + 5}, 2};
    expect_round_trip<double>(layout, layout);
    taken.clear();
    scenario(GetParam());
    expect_round_trip<double>(layout, layout);
}

TEST_P(Transfer, PinsAndReusesItsBuffers) {
    const auto context = *cuda::Context::get(0);
    std::vector<cuda::StagingBuffer> taken;
    for (int i = 0; i < 9; ++i) taken.push_back(std::move(*context->take_staging()));
    EXPECT_TRUE(taken.back().is_pinned()) << "a ninth is made anew";
    const std::byte* memory = taken.back().data();
    taken.back() = {};
    EXPECT_EQ(context->take_staging()->data(), memory);
}

TEST_P(Transfer, TwoRunsAtOnceDoNotMix) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([t] {
            const Layout layout{{.h = 3 + t, .w = staging / 8}, t, 2 * t};
            for (int i = 0; i < 3; ++i) {
                auto in = numbered<float>(layout);
                for (float& v : in) v = v == -7 ? v : v + static_cast<float>(1 + t);
                std::vector<float> out = memory_of<float>(layout);
                const auto done = there_and_back<float>(planes_of(layout, in), planes_of(layout, out));
                ASSERT_TRUE(done) << done.error().message;
                EXPECT_TRUE(out == in) << "thread " << t;
            }
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Driver, Transfer, ::testing::Values("queued=0", "queued=1"),
                         [](const auto& given) { return given.index == 0 ? "AtOnce" : "Queued"; });

}  // namespace
