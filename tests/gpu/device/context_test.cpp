// SPDX-License-Identifier: MIT
// The device layer over the stand-in driver: what a failing allocation, a fault, a reset and a missing wait
// do. Each test is a process of its own with its scenario in FAKE_CUDA, which it may change on the way.
#include "kernels/device/cuda/context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "iir2d/device.h"

namespace {

using namespace iir2d;

void become(const char* scenario) {
    ASSERT_EQ(setenv("FAKE_CUDA", scenario, 1), 0);
}

std::shared_ptr<cuda::Context> context(int index = 0) {
    auto made = cuda::Context::get(index);
    if (!made) {
        ADD_FAILURE() << made.error().message;
        std::abort();
    }
    return *made;
}

template <class T>
T value(Result<T> result) {
    if (!result) {
        ADD_FAILURE() << result.error().message;
        std::abort();
    }
    return std::move(*result);
}

#define EXPECT_DONE(expression)                                  \
    do {                                                         \
        const auto done_ = (expression);                         \
        EXPECT_TRUE(done_.has_value()) << done_.error().message; \
    } while (false)

struct Floats {
    std::vector<float> host = std::vector<float>(100);
    std::size_t bytes = host.size() * sizeof(float);
};

TEST(Context, IsOnePerDeviceAndKnowsIt) {
    become("devices=2");
    EXPECT_EQ(context(0), context(0));
    EXPECT_NE(context(0), context(1));
    EXPECT_EQ(context(1)->index(), 1);
    EXPECT_EQ(context(1)->facts().name, "Stand-in GPU 1");
    EXPECT_EQ(context(0)->facts().multiprocessors, 4);
    EXPECT_EQ(context(0)->facts().capability_major, 9);
    const auto beyond = cuda::Context::get(2);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().message, "there is no GPU 2: the driver counts 2");
    EXPECT_FALSE(cuda::Context::get(-1));
}

TEST(Context, CopiesThereAcrossAndBack) {
    become("devices=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    Floats f;
    std::iota(f.host.begin(), f.host.end(), 1.0F);
    std::vector<float> back(f.host.size(), 0.0F);
    const auto buffer = value(gpu->allocate(f.bytes, stream.get()));
    const auto other = value(gpu->allocate(f.bytes, stream.get()));
    EXPECT_DONE(gpu->upload(stream.get(), buffer.get(), f.host.data(), f.bytes));
    EXPECT_DONE(gpu->copy(stream.get(), other.get(), buffer.get(), f.bytes));
    EXPECT_DONE(gpu->download(stream.get(), back.data(), other.get(), f.bytes));
    EXPECT_DONE(gpu->synchronize(stream.get()));
    EXPECT_EQ(back, f.host);
}

TEST(Context, OfTheLegacyStreamIsTheCurrentOneOrTheDatas) {
    become("devices=2");
    const cuda::Driver& d = *value(cuda::driver());
    const auto gpu = context(1);
    const auto stream = value(gpu->make_stream());
    const auto buffer = value(gpu->allocate(16, stream.get()));
    const auto device_for = [&](cuda::StreamHandle handle, cuda::DevicePointer memory) {
        cuda::DeviceHandle device = -1;
        EXPECT_DONE(cuda::in_context_of(handle, memory,
                                        [&] { return IIR2D_CUDA_CHECKED(d, cuCtxGetDevice, &device); }));
        return device;
    };
    int unknown = 0;
    std::thread([&] {
        for (const std::uintptr_t number : {0, 1, 2}) {
            const auto handle = reinterpret_cast<cuda::StreamHandle>(number);
            EXPECT_EQ(device_for(handle, buffer.get()), 1);
            EXPECT_EQ(device_for(handle, reinterpret_cast<std::uintptr_t>(&unknown)), 0);
        }
        cuda::ContextHandle other = nullptr;
        ASSERT_EQ(d.cuCtxGetCurrent(&other), cuda::success);
        EXPECT_EQ(other, nullptr) << "a context that a call made current stayed so";
        ASSERT_EQ(d.cuDevicePrimaryCtxRetain(&other, 0), cuda::success);
        ASSERT_EQ(d.cuCtxPushCurrent(other), cuda::success);
        EXPECT_EQ(device_for(nullptr, buffer.get()), 0) << "the caller's own goes first";
        EXPECT_EQ(device_for(stream.get(), buffer.get()), 1);
        EXPECT_EQ(d.cuCtxPopCurrent(&other), cuda::success);
    }).join();
}

TEST(Context, RefusesACopyBeyondABuffer) {
    become("devices=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const Floats f;
    const auto buffer = value(gpu->allocate(f.bytes - 4, stream.get()));
    const auto done = gpu->upload(stream.get(), buffer.get(), f.host.data(), f.bytes);
    ASSERT_FALSE(done);
    EXPECT_TRUE(done.error().message.starts_with("cuMemcpyHtoDAsync failed: ")) << done.error().message;
    EXPECT_FALSE(gpu->lost());
}

TEST(Context, ShowsAMissingWait) {
    become("queued=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    Floats f;
    std::ranges::fill(f.host, 5.0F);
    std::vector<float> back(f.host.size(), 0.0F);
    const auto buffer = value(gpu->allocate(f.bytes, stream.get()));
    EXPECT_DONE(gpu->upload(stream.get(), buffer.get(), f.host.data(), f.bytes));
    EXPECT_DONE(gpu->download(stream.get(), back.data(), buffer.get(), f.bytes));
    EXPECT_EQ(back.front(), 0.0F) << "the stand-in ran work that nobody waited for";
    EXPECT_DONE(gpu->synchronize(stream.get()));
    EXPECT_EQ(back, f.host);
}

TEST(Context, OrdersTwoStreamsByAnEvent) {
    become("queued=1");
    const auto gpu = context();
    const auto first = value(gpu->make_stream());
    const auto second = value(gpu->make_stream());
    const auto filled = value(gpu->make_event());
    Floats f;
    std::ranges::fill(f.host, 7.0F);
    std::vector<float> back(f.host.size(), 0.0F);
    const auto buffer = value(gpu->allocate(f.bytes, first.get()));
    EXPECT_DONE(gpu->upload(first.get(), buffer.get(), f.host.data(), f.bytes));
    EXPECT_DONE(gpu->record(filled.get(), first.get()));
    EXPECT_DONE(gpu->wait(second.get(), filled.get()));
    EXPECT_DONE(gpu->download(second.get(), back.data(), buffer.get(), f.bytes));
    EXPECT_DONE(gpu->synchronize(second.get()));
    EXPECT_EQ(back, f.host);
}

TEST(Context, MeasuresBetweenEvents) {
    become("queued=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const auto begin = value(gpu->make_event());
    const auto end = value(gpu->make_event());
    EXPECT_FALSE(gpu->milliseconds_between(begin.get(), end.get())) << "neither was recorded";
    EXPECT_DONE(gpu->record(begin.get(), stream.get()));
    EXPECT_DONE(gpu->record(end.get(), stream.get()));
    EXPECT_GT(value(gpu->milliseconds_between(begin.get(), end.get())), 0.0);
}

TEST(Context, SaysHowMuchMemoryThereWasNoneFor) {
    become("alloc=2");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const auto first = value(gpu->allocate(1 << 20, stream.get()));
    const auto second = gpu->allocate(std::size_t{300} << 20, stream.get());
    ASSERT_FALSE(second);
    EXPECT_EQ(
        second.error().message,
        "cuMemAllocAsync failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory); close other programs that use the "
        "GPU, or take the CPU (300 MiB were asked for)");
    ASSERT_TRUE(second.error().driver);
    EXPECT_EQ(second.error().driver->call, "cuMemAllocAsync");
    EXPECT_EQ(second.error().driver->name, "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_FALSE(gpu->lost()) << "memory may be there the next time";
    EXPECT_DONE(gpu->trim());
    EXPECT_TRUE(gpu->allocate(1 << 20, stream.get()).has_value());
}

TEST(Context, AllocatesNothingForNothing) {
    become("alloc=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const auto none = gpu->allocate(0, stream.get());
    ASSERT_TRUE(none.has_value());
    EXPECT_EQ(none->get(), 0U);
}

TEST(Context, RefusesAnUnknownKernel) {
    become("devices=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const int parameters = 0;
    const auto done = gpu->launch(stream.get(), {.kernel = "no_such_kernel", .parameters = &parameters});
    ASSERT_FALSE(done);
    EXPECT_FALSE(gpu->lost());
}

// What a fault leaves, code by code; the device's removal is CUDA_ERROR_UNKNOWN or a failed launch.
void expect_lost_and_found(int code) {
    become(("launch=1,launch_code=" + std::to_string(code)).c_str());
    auto gpu = context();
    {
        const auto stream = value(gpu->make_stream());
        const auto buffer = value(gpu->allocate(1024, stream.get()));
        const std::vector<std::max_align_t> parameters(64);
        const auto faulted = gpu->launch(
            stream.get(),
            {.kernel = "iir_rows_f32_order1_x1", .block = {32, 1, 1}, .parameters = parameters.data()});
        ASSERT_FALSE(faulted);
        EXPECT_TRUE(faulted.error().message.starts_with("cuLaunchKernel failed: CUDA_ERROR_"))
            << faulted.error().message;
        EXPECT_TRUE(gpu->lost());
        const auto next = gpu->synchronize(stream.get());
        ASSERT_FALSE(next);
        EXPECT_EQ(next.error().message,
                  "GPU 0 was lost to an earlier error: choose it again to reset it, or take the CPU");
        EXPECT_FALSE(gpu->allocate(16, stream.get()));
        EXPECT_FALSE(gpu->make_stream());
    }
    become("launch=0");
    const auto again = context();
    EXPECT_NE(again, gpu);
    EXPECT_FALSE(again->lost());
    EXPECT_TRUE(gpu->lost()) << "what was made before the reset stays lost";
    const auto stream = value(again->make_stream());
    const auto buffer = value(again->allocate(1024, stream.get()));
    EXPECT_DONE(again->synchronize(stream.get()));
}

TEST(Context, IsLostToAnIllegalAddressAndFoundByAReset) {
    expect_lost_and_found(700);
}
TEST(Context, IsLostToAFailedLaunchAndFoundByAReset) {
    expect_lost_and_found(719);
}
TEST(Context, IsLostToAnUnknownErrorAndFoundByAReset) {
    expect_lost_and_found(999);
}

TEST(Context, SaysThatARemovedGpuDoesNotComeBack) {
    become("launch=1,launch_code=999,reset=101");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const std::vector<std::max_align_t> parameters(64);
    EXPECT_FALSE(gpu->launch(
        stream.get(),
        {.kernel = "iir_rows_f32_order1_x1", .block = {32, 1, 1}, .parameters = parameters.data()}));
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto again = cuda::Context::get(0);
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().message,
                  "GPU 0 was lost and does not come back: it may have been removed, or the program must be "
                  "restarted "
                  "(cuDevicePrimaryCtxReset failed: CUDA_ERROR_INVALID_DEVICE (as the scenario asked))");
    }
    become("launch=0");
    EXPECT_TRUE(cuda::Context::get(0)) << "it was put back";
}

TEST(Context, KeepsThroughAnErrorThatIsNotSticky) {
    become("devices=1");
    const auto gpu = context();
    const auto stream = value(gpu->make_stream());
    const std::vector<std::max_align_t> parameters(64);
    EXPECT_FALSE(gpu->launch(stream.get(), {.kernel = "iir_rows_f32_order1_x1",
                                            .grid = {0, 1, 1},
                                            .block = {32, 1, 1},
                                            .parameters = parameters.data()}));
    EXPECT_FALSE(gpu->lost());
    EXPECT_DONE(gpu->synchronize(stream.get()));
}

TEST(Context, IsUsedByManyThreadsAtOnce) {
    become("devices=1");
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            const auto gpu = context();
            const auto stream = value(gpu->make_stream());
            for (int i = 0; i < 20; ++i) {
                Floats f;
                std::ranges::fill(f.host, static_cast<float>(t * 100 + i));
                std::vector<float> back(f.host.size());
                const auto buffer = value(gpu->allocate(f.bytes, stream.get()));
                EXPECT_DONE(gpu->upload(stream.get(), buffer.get(), f.host.data(), f.bytes));
                EXPECT_DONE(gpu->download(stream.get(), back.data(), buffer.get(), f.bytes));
                EXPECT_DONE(gpu->synchronize(stream.get()));
                EXPECT_EQ(back, f.host);
            }
        });
    }
}

TEST(Context, CannotBeHadWithoutADriver) {
    become("init=999");
    const auto none = cuda::Context::get(0);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "cuInit failed: CUDA_ERROR_UNKNOWN (as the scenario asked)");
    const auto refused = Device::cuda(0);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.starts_with("device cuda:0 cannot be used: cuInit failed"))
        << refused.error().message;
    become("init=0");
    EXPECT_TRUE(Device::cuda(0)) << "a driver that comes up later is taken";
}

}  // namespace
