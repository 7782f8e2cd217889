// SPDX-License-Identifier: MIT
// Pooling plans on a GPU, over the stand-in driver: both passes from host memory in every element type, and
// the C interface on the caller's context.
#include <gtest/gtest.h>

#include "iir2d/iir2d_pool.h"
#include "kernels/device/cuda/context.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

class PoolPlanOnGpu : public stand_in::StandInTest {
  protected:
    template <class T>
    void both_passes() {
        for (const PoolDesc& desc : all_cases()) {
            if (desc.op == PoolOp::lp && desc.p != 1.0 && desc.p != 2.0)
                continue;  // other powers, other bits
            if (desc.window.h > 9) continue;
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
};

TEST_P(PoolPlanOnGpu, BothPassesHaveTheCpusBits) {
    both_passes<float>();
    both_passes<double>();
    both_passes<Float16>();
    both_passes<BFloat16>();
    EXPECT_EQ(fake_cuda::counts().held_bytes, 0);
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
    EXPECT_EQ(iir2d_pool_forward_cuda(in.data(), out.data(), argmax, &p, stream.get()),
              IIR2D_STATUS_CUDA_ERROR)
        << "no context is current";
    const cuda::Driver& driver = **cuda::driver();
    cuda::ContextHandle handle = nullptr;
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&handle, 0), cuda::success);
    ASSERT_EQ(driver.cuCtxPushCurrent(handle), cuda::success);
    EXPECT_EQ(iir2d_pool_forward_cuda(in.data(), out.data(), argmax, &p, stream.get()), IIR2D_STATUS_OK);
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
