// SPDX-License-Identifier: MIT
// Runs that repeat on the same addresses: one CUDA graph from the second on, with the bits of single
// launches.
#include "kernels/device/cuda/repeated_launches.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "iir2d/plan.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"

namespace {

using namespace iir2d;

class RepeatedRunTest : public stand_in::StandInTest {
  protected:
    static constexpr Shape shape{.c = 2, .h = 45, .w = 70};
    static FilterPlan plan_of(int id) {
        return *FilterPlan::make(gpu(), {.shape = shape, .filter = {.id = id}});
    }
    static DeviceTensor tensor() { return *DeviceTensor::make(gpu(), ElementType::f32, shape); }
    static std::vector<float> filtered(int id, const std::vector<float>& x) {
        std::vector<float> y(x.size());
        EXPECT_TRUE(plan_of(id).run(view(x, shape), {y.data(), ElementType::f32, shape}));
        return y;
    }
};

TEST_P(RepeatedRunTest, IsOneGraphFromTheSecondOn) {
    for (const int id : {1, 5, 6}) {
        const auto plan = plan_of(id);
        const auto to = tensor();
        const auto from = *DeviceTensor::upload(gpu(), view(random_floats(shape), shape));
        const auto before = fake_cuda::counts();
        for (int i = 0; i < 5; ++i) {
            // Other samples each time: a graph holds where they are, not what they are.
            const auto x = random_floats(shape, static_cast<unsigned>(i));
            ASSERT_TRUE(from.copy_from(*DeviceTensor::upload(gpu(), view(x, shape))));
            const auto launches = fake_cuda::counts().launches;
            const auto done = plan.run(from, to);
            ASSERT_TRUE(done) << done.error().message;
            if (i == 0) {
                EXPECT_GE(fake_cuda::counts().launches - launches, 2) << id;
                EXPECT_LE(fake_cuda::counts().launches - launches, 3) << id;
            } else {
                EXPECT_EQ(fake_cuda::counts().launches - launches, 1) << id << " run " << i;
            }
            EXPECT_EQ(values<float>(to), filtered(id, x)) << id << " run " << i;
        }
        EXPECT_EQ(fake_cuda::counts().graph_launches - before.graph_launches, 4) << id;
    }
    EXPECT_EQ(fake_cuda::counts().graphs_held, 0) << "they go with their plans";
}

// Whatever addresses the driver gives them.
TEST_P(RepeatedRunTest, RunsFromHostMemoryComputeTheSame) {
    const auto plan = plan_of(1);
    for (unsigned i = 0; i < 6; ++i) {
        const auto x = random_floats(shape, i);
        std::vector<float> y(x.size());
        ASSERT_TRUE(plan.run(view(x, shape), {y.data(), ElementType::f32, shape}));
        EXPECT_EQ(y, filtered(1, x));
    }
}

TEST_P(RepeatedRunTest, OtherAddressesAreNoRepetition) {
    const auto plan = plan_of(5);
    const auto x = random_floats(shape);
    const auto expected = filtered(5, x);
    const auto from = *DeviceTensor::upload(gpu(), view(x, shape));
    const auto one = tensor();
    const auto other = tensor();
    const auto before = fake_cuda::counts().graph_launches;
    for (int i = 0; i < 3; ++i) {
        for (const auto* to : {&one, &other}) {
            ASSERT_TRUE(plan.run(from, *to));
            EXPECT_EQ(values<float>(*to), expected);
        }
    }
    EXPECT_EQ(fake_cuda::counts().graph_launches, before);
    // Back to one of them for good.
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(plan.run(from, one));
    EXPECT_EQ(fake_cuda::counts().graph_launches, before + 2);
    EXPECT_EQ(values<float>(one), expected);
}

TEST_P(RepeatedRunTest, ADriverWithoutGraphsComputesTheSame) {
    scenario(std::string(GetParam()) + ",graphs=0");
    const auto plan = plan_of(6);
    const auto x = random_floats(shape);
    const auto from = *DeviceTensor::upload(gpu(), view(x, shape));
    const auto to = tensor();
    const auto before = fake_cuda::counts().graph_launches;
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(plan.run(from, to));
        EXPECT_EQ(values<float>(to), filtered(6, x));
    }
    EXPECT_EQ(fake_cuda::counts().graph_launches, before);
}

TEST_P(RepeatedRunTest, SeveralThreadsOfOnePlan) {
    const auto plan = plan_of(6);
    const auto x = random_floats(shape);
    const auto expected = filtered(6, x);
    const auto from = *DeviceTensor::upload(gpu(), view(x, shape));
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            const auto to = tensor();
            for (int i = 0; i < 8; ++i) {
                EXPECT_TRUE(plan.run(from, to));
                EXPECT_EQ(values<float>(to), expected);
            }
        });
    }
}

TEST_P(RepeatedRunTest, AFaultInAGraphLosesTheGpuAndANewOneForgetsTheGraph) {
    const auto plan = plan_of(1);
    const auto x = random_floats(shape);
    const auto expected = filtered(1, x);
    const auto from = *DeviceTensor::upload(gpu(), view(x, shape));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(plan.run(from, from));
    scenario("launch=" + std::to_string(fake_cuda::counts().launches + 1));
    const auto faulted = plan.run(from, from);
    ASSERT_FALSE(faulted);
    ASSERT_TRUE(faulted.error().driver);
    EXPECT_EQ(faulted.error().driver->call, "cuGraphLaunch");
    EXPECT_TRUE(from.is_lost());
    scenario(GetParam());
    for (int i = 0; i < 3; ++i) {
        const auto again = *DeviceTensor::upload(gpu(), view(x, shape));
        const auto done = plan.run(again, again);
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(values<float>(again), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Driver, RepeatedRunTest, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
