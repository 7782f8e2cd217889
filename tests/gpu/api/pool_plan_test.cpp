// SPDX-License-Identifier: MIT
// Pooling plans on a GPU, over the stand-in driver: both passes from host memory and in device memory, in
// every element type, and the C interface on the caller's context.
#include <gtest/gtest.h>

#include <stop_token>

#include "iir2d/iir2d_pool.h"
#include "kernels/device/cuda/context.h"
#include "kernels/pool/cpu.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"
#include "tests/kernels/pool/pool_fields_testing.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

class PoolPlanOnGpu : public stand_in::StandInTest {
  protected:
    // Wide adaptive averages of floats are added up in another order on the CPU.
    static bool is_summed_in_parts(const PoolDesc& desc) {
        return desc.op == PoolOp::adaptive_avg &&
               pool::choose_cpu_kernel(desc, *pool::make_geometry(desc)).variant.starts_with("parts");
    }

    template <class T>
    void both_passes() {
        for (const PoolDesc& desc : all_cases()) {
            if (desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0)
                continue;  // other powers, other bits
            if (desc.window.h > 9 || is_summed_in_parts(desc)) continue;
            SCOPED_TRACE(to_string(desc) + " as " + std::string(name_of(type_of<T>)));
            const auto x = stored<T>(uniform(elements(desc.shape), -1.0F, 1.0F, 9));
            const auto expected = run_in<T>(desc, x);
            const auto got = run_on<T>(gpu(), desc, x);
            ASSERT_TRUE(same_bits_but_nan(got.y, expected.y));
            ASSERT_EQ(got.argmax, expected.argmax);
            const auto dy = stored<T>(uniform(got.y.size(), -1.0F, 1.0F, 10));
            ASSERT_TRUE(same_bits_but_nan(backward_on<T>(gpu(), desc, x, got, dy),
                                          backward_in<T>(desc, x, expected, dy)));
            if (!got.argmax.empty()) {
                ASSERT_TRUE(same_bits_but_nan(backward_on<T>(gpu(), desc, x, {got.y, {}}, dy),
                                              backward_in<T>(desc, x, expected, dy)))
                    << "found again";
            }
        }
    }

    template <class T>
    static DeviceTensor uploaded(const std::vector<T>& values, const Shape& shape) {
        return *DeviceTensor::upload(gpu(), {values.data(), type_of<T>, shape});
    }

    // From tensor to tensor, and enqueued with the places that an enqueued forward pass left: the bits of the
    // passes over host memory.
    template <class T>
    void in_device_memory() {
        const auto context = *cuda::Context::get(0);
        const auto stream = *context->make_stream();
        for (PoolDesc desc : all_cases()) {
            if (desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0) continue;
            if (desc.window.h > 9 || is_summed_in_parts(desc)) continue;
            desc.element = type_of<T>;
            SCOPED_TRACE(to_string(desc));
            const auto x = stored<T>(uniform(elements(desc.shape), -1.0F, 1.0F, 9));
            const auto pooled = run_in<T>(desc, x);
            const auto dy = stored<T>(uniform(pooled.y.size(), -1.0F, 1.0F, 10));
            const auto expected = backward_in<T>(desc, x, pooled, dy);
            const auto plan = *PoolPlan::make(gpu(), desc);
            const Shape output = plan.output_shape();
            const auto in = uploaded(x, desc.shape);
            const auto y = *DeviceTensor::make(gpu(), desc.element, output);
            const auto upstream = uploaded(dy, output);
            const auto gradient = uploaded(std::vector<T>(x.size(), dy[0]), desc.shape);
            ASSERT_TRUE(plan.forward(in, y));
            const bool lp = desc.op == PoolOp::lp;
            RunTimes times;
            const auto done = plan.backward(lp || is_max(desc.op) ? &in : nullptr, lp ? &y : nullptr,
                                            upstream, gradient, {.times = &times});
            ASSERT_TRUE(done) << done.error().message;
            ASSERT_EQ(times.uploaded_bytes + times.downloaded_bytes, 0);
            ASSERT_TRUE(same_bits_but_nan(downloaded<T>(gradient), expected));

            const auto again = uploaded(std::vector<T>(x.size(), dy[0]), desc.shape);
            const auto places = *context->allocate(pooled.y.size() * sizeof(std::int64_t), stream.get());
            auto* argmax = is_max(desc.op)
                               ? reinterpret_cast<std::int64_t*>(static_cast<std::uintptr_t>(places.get()))
                               : nullptr;
            const auto view_of = [](const DeviceTensor& tensor) {
                return TensorView{tensor.data(), tensor.type(), tensor.shape()};
            };
            ASSERT_TRUE(plan.enqueue(view_of(in), view_of(y), argmax, stream.get()));
            const auto queued =
                plan.enqueue_backward(lp ? view_of(in) : TensorView{}, lp ? view_of(y) : TensorView{},
                                      view_of(upstream), view_of(again), argmax, stream.get());
            ASSERT_TRUE(queued) << queued.error().message;
            ASSERT_TRUE(context->synchronize(stream.get()));
            ASSERT_TRUE(same_bits_but_nan(downloaded<T>(again), expected)) << "enqueued";
        }
    }

    template <class T>
    static std::vector<T> downloaded(const DeviceTensor& tensor) {
        std::vector<T> out(tensor.bytes() / sizeof(T));
        EXPECT_TRUE(tensor.download({out.data(), tensor.type(), tensor.shape()}));
        return out;
    }
};

TEST_P(PoolPlanOnGpu, BothPassesHaveTheCpusBits) {
    both_passes<float>();
    both_passes<double>();
    both_passes<Float16>();
    both_passes<BFloat16>();
    EXPECT_EQ(fake_cuda::counts().held_bytes, 0);
}

TEST_P(PoolPlanOnGpu, BackwardStaysInDeviceMemory) {
    in_device_memory<float>();
    in_device_memory<double>();
    in_device_memory<Float16>();
    in_device_memory<BFloat16>();
    EXPECT_EQ(fake_cuda::counts().held_bytes, 0);
}

TEST_P(PoolPlanOnGpu, FieldsThatAnOpDoesNotReadChangeNoPass) {
    for (const PoolDesc& op : all_ops()) {
        PoolDesc desc = op;
        desc.shape = {.c = 2, .h = 9, .w = 8};
        desc.window = {3, 2};
        desc.output = {4, 3};
        const auto x = uniform(elements(desc.shape), -1.0F, 1.0F, 3);
        const auto forward = run_on<float>(gpu(), desc, x);
        const auto dy = uniform(forward.y.size(), -1.0F, 1.0F, 4);
        const auto dx = backward_on<float>(gpu(), desc, x, forward, dy);
        for (const SpoiltDesc& spoilt : with_unread_fields(desc)) {
            SCOPED_TRACE(to_string(desc) + ", " + spoilt.field);
            const auto got = run_on<float>(gpu(), spoilt.desc, x);
            ASSERT_TRUE(same_bits_but_nan(got.y, forward.y));
            ASSERT_EQ(got.argmax, forward.argmax);
            ASSERT_TRUE(same_bits_but_nan(backward_on<float>(gpu(), spoilt.desc, x, got, dy), dx));
        }
    }
}

TEST_P(PoolPlanOnGpu, BackwardInDeviceMemorySaysWhatIsWrong) {
    const Shape shape{.h = 8, .w = 8};
    const Shape output{.h = 4, .w = 4};
    const auto message = [](const Result<void>& done) { return done ? "" : done.error().message; };
    const auto plan = [&](PoolOp op) { return *PoolPlan::make(gpu(), {.op = op, .shape = shape}); };
    const auto x = *DeviceTensor::make(gpu(), ElementType::f32, shape);
    const auto dx = *DeviceTensor::make(gpu(), ElementType::f32, shape);
    const auto dy = *DeviceTensor::make(gpu(), ElementType::f32, output);
    EXPECT_EQ(message(plan(PoolOp::avg).backward(nullptr, nullptr, dy, dx)), "");
    EXPECT_NE(message(plan(PoolOp::max).backward(nullptr, nullptr, dy, dx)), "") << "finds its places in x";
    EXPECT_NE(message(plan(PoolOp::lp).backward(&x, nullptr, dy, dx)), "");
    EXPECT_NE(message(plan(PoolOp::avg).backward(nullptr, nullptr, dx, dx)), "");
    EXPECT_EQ(message(plan(PoolOp::lp).backward(&dx, &dy, dy, dx)), "dx overlaps x: it must lie apart");
    const auto elsewhere = *DeviceTensor::make(*Device::cuda(1), ElementType::f32, output);
    EXPECT_EQ(message(plan(PoolOp::avg).backward(nullptr, nullptr, elsewhere, dx)),
              "dy is on cuda:1, the plan is for cuda:0");
    const auto on_cpu = *PoolPlan::make(*Device::cpu(), {.op = PoolOp::avg, .shape = shape});
    EXPECT_EQ(message(on_cpu.backward(nullptr, nullptr, dy, dx)), "dy is on cuda:0, the plan is for cpu");
    const ConstTensorView upstream(dy.data(), ElementType::f32, output);
    const TensorView gradient{dx.data(), ElementType::f32, shape};
    EXPECT_EQ(message(on_cpu.enqueue_backward({}, {}, upstream, gradient, nullptr, nullptr)),
              "device cpu: only a plan for a GPU is enqueued, use backward");
    EXPECT_EQ(message(plan(PoolOp::max).enqueue_backward({}, {}, upstream, gradient, nullptr, nullptr)),
              "argmax is null: what is enqueued does not find it again");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(plan(PoolOp::max).backward(&x, nullptr, dy, dx, {.stop = stop.get_token()}).error().code,
              ErrorCode::cancelled);
}

TEST_P(PoolPlanOnGpu, BackwardNamesItsKernelsFailure) {
    const PoolDesc desc{.op = PoolOp::avg, .shape = {.h = 8, .w = 8}};
    const auto plan = *PoolPlan::make(gpu(), desc);
    const std::vector<float> dy(16, 1.0F);
    std::vector<float> dx(64);
    scenario("launch=" + std::to_string(fake_cuda::counts().launches + 1));
    const auto done = plan.backward({}, {}, {dy.data(), ElementType::f32, plan.output_shape()},
                                    {dx.data(), ElementType::f32, desc.shape});
    ASSERT_FALSE(done);
    ASSERT_TRUE(done.error().driver);
    EXPECT_EQ(done.error().driver->name, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_P(PoolPlanOnGpu, TheCInterfaceUsesTheCallersContextAndStream) {
    const PoolDesc desc{.op = PoolOp::max, .shape = {.h = 7, .w = 9}};
    const auto x = uniform(63, -1.0F, 1.0F, 4);
    const auto expected = run_in<float>(desc, x);
    const Shape output{.h = 3, .w = 4};
    const std::vector<float> dy = uniform(12, -1.0F, 1.0F, 5);
    const auto in = *DeviceTensor::upload(gpu(), view(x, desc.shape));
    const auto out = *DeviceTensor::make(gpu(), ElementType::f32, output);
    const auto upstream = *DeviceTensor::upload(gpu(), view(dy, output));
    const auto gradient = *DeviceTensor::make(gpu(), ElementType::f32, desc.shape);
    const auto context = *cuda::Context::get(0);
    const auto stream = *context->make_stream();
    const auto places = *context->allocate(12 * sizeof(std::int64_t), stream.get());
    auto* argmax = reinterpret_cast<std::int64_t*>(static_cast<std::uintptr_t>(places.get()));
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.n = p.c = 1;
    p.height = 7;
    p.width = 9;
    p.window_h = p.window_w = 2;
    EXPECT_EQ(iir2d_pool_forward_cuda(in.data(), out.data(), argmax, &p, nullptr), IIR2D_STATUS_OK)
        << "the data's device has one";
    ASSERT_TRUE(context->synchronize(nullptr));
    EXPECT_EQ(values<float>(out), expected.y);
    EXPECT_EQ(iir2d_pool_forward_cuda(in.data(), out.data(), argmax, &p, stream.get()), IIR2D_STATUS_OK)
        << "a stream has its own";
    const cuda::Driver& driver = **cuda::driver();
    cuda::ContextHandle handle = nullptr;
    ASSERT_EQ(driver.cuCtxGetCurrent(&handle), cuda::success);
    EXPECT_EQ(handle, nullptr) << "the caller's is as it was";
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&handle, 0), cuda::success);
    ASSERT_EQ(driver.cuCtxPushCurrent(handle), cuda::success);
    ASSERT_TRUE(context->synchronize(stream.get()));
    EXPECT_EQ(iir2d_pool_forward_cuda(in.data(), out.data(), argmax, &p, nullptr), IIR2D_STATUS_OK);
    ASSERT_TRUE(context->synchronize(nullptr));
    EXPECT_EQ(iir2d_pool_backward_cuda(nullptr, nullptr, upstream.data(), gradient.data(), argmax, &p,
                                       stream.get()),
              IIR2D_STATUS_OK);
    EXPECT_EQ(iir2d_pool_backward_cuda(in.data(), nullptr, upstream.data(), gradient.data(), nullptr, &p,
                                       stream.get()),
              IIR2D_STATUS_NULL_POINTER)
        << "max without its places";
    ASSERT_TRUE(context->synchronize(stream.get()));
    cuda::ContextHandle popped = nullptr;
    EXPECT_EQ(driver.cuCtxPopCurrent(&popped), cuda::success);
    EXPECT_EQ(values<float>(out), expected.y);
    EXPECT_EQ(values<float>(gradient), backward_in<float>(desc, x, expected, dy));
}

INSTANTIATE_TEST_SUITE_P(Driver, PoolPlanOnGpu, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
