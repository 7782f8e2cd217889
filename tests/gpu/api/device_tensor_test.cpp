// SPDX-License-Identifier: MIT
// Planes in device memory and plans from one to another, over the stand-in driver.
#include "iir2d/device_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "iir2d/plan.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"

namespace {

using namespace iir2d;
using testing::HasSubstr;

class DeviceTensorTest : public stand_in::StandInTest {};

TEST_P(DeviceTensorTest, KeepsWhatIsUploaded) {
    const Shape shape{.n = 2, .c = 3, .h = 5, .w = 7};
    const auto x = random_floats(shape);
    RunTimes up;
    const auto tensor = DeviceTensor::upload(gpu(), view(x, shape), {.times = &up});
    ASSERT_TRUE(tensor) << tensor.error().message;
    EXPECT_EQ(tensor->shape(), shape);
    EXPECT_EQ(tensor->type(), ElementType::f32);
    EXPECT_EQ(tensor->bytes(), x.size() * sizeof(float));
    EXPECT_EQ(tensor->device().id(), "cuda:0");
    EXPECT_EQ(up.uploaded_bytes, static_cast<std::int64_t>(tensor->bytes()));
    EXPECT_EQ(up.downloaded_bytes, 0);
    EXPECT_GT(up.upload_ms, 0.0);
    EXPECT_EQ(values<float>(*tensor), x);
    // To a view with gaps, which stay.
    std::vector<float> gapped(2 * 3 * (5 * 9 + 4), -7.0F);
    RunTimes down;
    ASSERT_TRUE(tensor->download({gapped.data(), ElementType::f32, shape, 9, 5 * 9 + 4}, {.times = &down}));
    EXPECT_EQ(down.downloaded_bytes, static_cast<std::int64_t>(tensor->bytes()));
    EXPECT_EQ(down.uploaded_bytes, 0);
    EXPECT_EQ(std::ranges::count(gapped, -7.0F), static_cast<std::ptrdiff_t>(gapped.size() - x.size()));
    // And up from it.
    const auto again = DeviceTensor::upload(gpu(), {gapped.data(), ElementType::f32, shape, 9, 5 * 9 + 4});
    ASSERT_TRUE(again);
    EXPECT_EQ(values<float>(*again), x);
}

TEST_P(DeviceTensorTest, PlansRunFromOneToAnotherAndInPlace) {
    const Shape shape{.c = 2, .h = 45, .w = 70};
    const auto x = random_floats(shape);
    for (const int id : {1, 5, 6}) {
        const auto plan = FilterPlan::make(gpu(), {.shape = shape, .filter = {.id = id}});
        ASSERT_TRUE(plan);
        std::vector<float> expected(x.size());
        ASSERT_TRUE(plan->run(view(x, shape), {expected.data(), ElementType::f32, shape}));
        const auto from = *DeviceTensor::upload(gpu(), view(x, shape));
        const auto to = *DeviceTensor::make(gpu(), ElementType::f32, shape);
        RunTimes times;
        double progress = 0;
        const auto done =
            plan->run(from, to, {.progress = [&](double fraction) { progress = fraction; }, .times = &times});
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(progress, 1.0);
        EXPECT_EQ(times.uploaded_bytes, 0);
        EXPECT_EQ(times.upload_ms, 0.0);
        EXPECT_EQ(times.download_ms, 0.0);
        EXPECT_EQ(times.downloaded_bytes, 0);
        EXPECT_GT(times.compute_ms, 0.0);
        EXPECT_EQ(values<float>(to), expected) << id;
        EXPECT_EQ(values<float>(from), x) << "the source was written";
        ASSERT_TRUE(plan->run(from, from));
        EXPECT_EQ(values<float>(from), expected) << id;
    }
    const auto pool = PoolPlan::make(gpu(), {.op = PoolOp::avg, .shape = shape, .window = {3, 2}});
    ASSERT_TRUE(pool);
    const auto size = pool->output_shape();
    std::vector<float> expected(static_cast<std::size_t>(size.c * size.h * size.w));
    ASSERT_TRUE(pool->forward(view(x, shape), {expected.data(), ElementType::f32, size}));
    const auto from = *DeviceTensor::upload(gpu(), view(x, shape));
    const auto to = *DeviceTensor::make(gpu(), ElementType::f32, size);
    const auto done = pool->forward(from, to);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(values<float>(to), expected);
}

TEST_P(DeviceTensorTest, ConvertsAsTheHostDoes) {
    const Shape shape{.h = 3, .w = 4099};  // more than a block
    std::vector<double> x(iir_test::count_of(shape));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(1.0 + static_cast<double>(i) / 7.0, -20);
    // Halves between floats, both ways of even; what overflows, underflows, and is neither.
    const double special[] = {1.0 + 0x1p-24,
                              1.0 + 0x3p-24,
                              -(1.0 + 0x1p-24),
                              1e300,
                              -1e300,
                              1e-300,
                              0x1p-149,
                              0x1.8p-149,
                              0x1p-150,
                              -0.0,
                              std::numeric_limits<double>::infinity(),
                              static_cast<double>(std::numeric_limits<float>::max())};
    std::ranges::copy(special, x.begin());
    const auto wide = *DeviceTensor::upload(gpu(), view(x, shape));
    const auto narrow = *DeviceTensor::make(gpu(), ElementType::f32, shape);
    ASSERT_TRUE(narrow.copy_from(wide));
    std::vector<float> expected(x.size());
    std::ranges::transform(x, expected.begin(), [](double v) { return static_cast<float>(v); });
    const auto got = values<float>(narrow);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0);
    ASSERT_TRUE(wide.copy_from(narrow));
    const auto back = values<double>(wide);
    EXPECT_TRUE(std::ranges::equal(back, expected));
    const auto twin = *DeviceTensor::make(gpu(), ElementType::f64, shape);
    ASSERT_TRUE(twin.copy_from(wide));
    EXPECT_EQ(values<double>(twin), back);
}

TEST_P(DeviceTensorTest, PlanesShareTheMemory) {
    const Shape shape{.c = 4, .h = 6, .w = 5};
    const auto x = random_floats(shape);
    const auto one = [&](std::size_t plane) {
        return std::vector<float>(x.begin() + static_cast<std::ptrdiff_t>(plane * 30),
                                  x.begin() + static_cast<std::ptrdiff_t>((plane + 1) * 30));
    };
    std::optional<DeviceTensor> third;
    {
        const auto all = *DeviceTensor::upload(gpu(), view(x, shape));
        third = *all.planes(2, 1);
        const auto target = *all.planes(0, 1);
        ASSERT_TRUE(target.copy_from(*third));
        EXPECT_EQ(values<float>(*all.planes(0, 1)), one(2));
        EXPECT_EQ(values<float>(*all.planes(1, 1)), one(1));
        EXPECT_FALSE(all.planes(0, 3)->copy_from(*all.planes(1, 3))) << "they overlap";
        for (const auto& [first, count] : {std::pair{-1, 1}, {0, 0}, {4, 1}, {3, 2}}) {
            const auto none = all.planes(first, count);
            ASSERT_FALSE(none);
            EXPECT_THAT(none.error().message, HasSubstr("the tensor [1, 4, 6, 5] has 4"));
        }
    }
    EXPECT_EQ(third->shape(), (Shape{.c = 1, .h = 6, .w = 5}));
    EXPECT_EQ(values<float>(*third), one(2)) << "it holds the memory";
}

TEST_P(DeviceTensorTest, RefusesInASentence) {
    const Shape shape{.h = 6, .w = 5};
    const auto tensor = *DeviceTensor::make(gpu(), ElementType::f32, shape);
    const auto other = *DeviceTensor::make(gpu(), ElementType::f32, {.h = 5, .w = 6});
    const auto halves = *DeviceTensor::make(gpu(), ElementType::f16, shape);
    const auto message = [](const auto& result) { return result ? std::string() : result.error().message; };
    EXPECT_EQ(message(DeviceTensor::make(*Device::cpu(), ElementType::f32, shape)),
              "device cpu is no GPU: its memory is the host's");
    EXPECT_EQ(message(DeviceTensor::make(gpu(), ElementType::f32, {.h = 0})),
              "shape is [1, 1, 0, 1]: every size must be at least 1");
    EXPECT_EQ(
        message(DeviceTensor::make(gpu(), ElementType::f32, {.h = std::int64_t{1} << 40, .w = 1 << 30})),
        "shape is [1, 1, 1099511627776, 1073741824]: its bytes do not fit 63 bits");
    EXPECT_EQ(message(DeviceTensor::upload(gpu(), {nullptr, ElementType::f32, shape})), "x: data is null");
    std::vector<double> wrong(30);
    EXPECT_EQ(message(tensor.download({wrong.data(), ElementType::f64, shape})),
              "y is f64 of [1, 1, 6, 5], the tensor is f32 of [1, 1, 6, 5]");
    EXPECT_EQ(message(tensor.copy_from(other)), "x has shape [1, 1, 5, 6], the tensor's is [1, 1, 6, 5]");
    EXPECT_EQ(message(tensor.copy_from(halves)), "elements are not converted from f16 to f32 on a GPU");
    const auto plan = *FilterPlan::make(gpu(), {.shape = shape});
    EXPECT_EQ(message(plan.run(tensor, other)), "y has shape [1, 1, 5, 6], the plan's is [1, 1, 6, 5]");
    EXPECT_EQ(message(FilterPlan::make(*Device::cpu(), {.shape = shape})->run(tensor, tensor)),
              "x is on cuda:0, the plan is for cpu");
    const auto pool = *PoolPlan::make(gpu(), {.shape = shape, .window = {1, 1}});
    EXPECT_EQ(message(pool.forward(tensor, tensor)), "y overlaps x: pooling does not run in place");
    const auto second = *DeviceTensor::make(*Device::cuda(1), ElementType::f32, shape);
    EXPECT_EQ(message(plan.run(tensor, second)), "y is on cuda:1, the plan is for cuda:0");
    EXPECT_FALSE(tensor.copy_from(second));
}

TEST_P(DeviceTensorTest, StopsWhenAsked) {
    const Shape shape{.h = 30, .w = 30};
    const auto x = random_floats(shape);
    const auto tensor = *DeviceTensor::upload(gpu(), view(x, shape));
    std::stop_source stop;
    stop.request_stop();
    const RunControl control{.stop = stop.get_token()};
    std::vector<float> y(x.size());
    EXPECT_EQ(DeviceTensor::upload(gpu(), view(x, shape), control).error().code, ErrorCode::cancelled);
    EXPECT_EQ(tensor.download({y.data(), ElementType::f32, shape}, control).error().code,
              ErrorCode::cancelled);
    const auto plan = *FilterPlan::make(gpu(), {.shape = shape});
    EXPECT_EQ(plan.run(tensor, tensor, control).error().code, ErrorCode::cancelled);
    EXPECT_EQ(values<float>(tensor), x);
}

TEST_P(DeviceTensorTest, MayBeReadByManyAtOnce) {
    const Shape shape{.h = 40, .w = 50};
    const auto x = random_floats(shape);
    const auto source = *DeviceTensor::upload(gpu(), view(x, shape));
    const auto plan = *FilterPlan::make(gpu(), {.shape = shape, .filter = {.id = 6}});
    std::vector<float> expected(x.size());
    ASSERT_TRUE(plan.run(view(x, shape), {expected.data(), ElementType::f32, shape}));
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            const DeviceTensor mine = source;
            const auto result = *DeviceTensor::make(source.device(), ElementType::f32, shape);
            for (int i = 0; i < 5; ++i) {
                EXPECT_TRUE(plan.run(mine, result));
                EXPECT_EQ(values<float>(result), expected);
            }
        });
    }
}

TEST_P(DeviceTensorTest, SaysThatThereIsNoMemory) {
    const Shape shape{.h = 10, .w = 10};
    const auto made = DeviceTensor::make(gpu(), ElementType::f32, {.c = 4096, .h = 1024, .w = 1024});
    ASSERT_FALSE(made);
    ASSERT_TRUE(made.error().driver);
    EXPECT_EQ(made.error().driver->name, "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_THAT(made.error().message, HasSubstr("16384 MiB were asked for"));
    EXPECT_TRUE(DeviceTensor::make(gpu(), ElementType::f32, shape));
}

TEST_P(DeviceTensorTest, IsLostWithItsGpu) {
    const Shape shape{.h = 10, .w = 10};
    const auto x = random_floats(shape);
    const auto tensor = *DeviceTensor::upload(gpu(), view(x, shape));
    const auto plan = *FilterPlan::make(gpu(), {.shape = shape});
    EXPECT_FALSE(tensor.is_lost());
    scenario("launch=" + std::to_string(fake_cuda::counts().launches + 1));
    EXPECT_FALSE(plan.run(tensor, tensor));
    EXPECT_TRUE(tensor.is_lost());
    scenario(GetParam());
    const auto refused = plan.run(tensor, tensor);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "x: its memory went with GPU 0, which was lost to an earlier error: upload it again");
    EXPECT_EQ(refused.error().code, ErrorCode::cuda_error);
    const auto again = DeviceTensor::upload(gpu(), view(x, shape));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(plan.run(*again, *again)) << "the GPU was reset";
    EXPECT_TRUE(tensor.is_lost());
    EXPECT_FALSE(again->copy_from(tensor));
}

INSTANTIATE_TEST_SUITE_P(Driver, DeviceTensorTest, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
