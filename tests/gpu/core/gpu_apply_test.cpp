// SPDX-License-Identifier: MIT
// Recipes on a GPU over the stand-in driver: the whole chain in device memory gives the bytes of the
// operations one by one, and a source that stays there is not uploaded again. Each operation alone, through
// its plan on host memory, is what everything is compared with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/recipe/apply.h"
#include "tests/core/recipe/recipe_testing.h"
#include "tests/gpu/fake_cuda/counts.h"

namespace workbench {
namespace {

using iir2d::ElementType;
using iir2d::Precision;
using testing::HasSubstr;

// What the stand-in itself saw being copied to device memory.
std::int64_t uploaded_so_far() {
    return fake_cuda::counts().uploaded_bytes;
}

class GpuApply : public ::testing::Test {
  protected:
    void SetUp() override {
        scenario("queued=1,devices=2");
        const auto made = iir2d::Device::cuda(0);
        ASSERT_TRUE(made) << made.error().message;
        m_gpu = *made;
    }
    static void scenario(const std::string& text) { ASSERT_EQ(setenv("FAKE_CUDA", text.c_str(), 1), 0); }

    Result<PlanarImage> applied(const Recipe& recipe, const PlanarImage& source, ApplyWork& work,
                                int alpha = -1, const TaskControl& control = {}) const {
        return apply(recipe, source, alpha, *m_gpu, control, work);
    }

    // Operation by operation: one recipe each, whose result is the next one's source.
    PlanarImage one_by_one(const Recipe& recipe, const PlanarImage& source, int alpha = -1) const {
        PlanarImage now = source;
        for (const Operation& operation : recipe.operations) {
            if (!operation.enabled) continue;
            const auto next = run_plan(operation, now, recipe.keep_alpha ? alpha : -1);
            now = next;
        }
        return now;
    }

    // A plan on host memory; a kept channel is put back afterwards.
    PlanarImage run_plan(const Operation& operation, const PlanarImage& from, int kept) const {
        const iir2d::Shape shape = from.view().shape;
        if (const auto* f = std::get_if<FilterOperation>(&operation.what)) {
            const PlanarImage x = from.converted(iir2d::storage_type(f->precision));
            PlanarImage y(x.width(), x.height(), x.channels(), x.type());
            for (int c = 0; c < x.channels(); ++c) {
                const auto plan = iir2d::FilterPlan::make(*m_gpu, filter_desc(*f, {1, 1, shape.h, shape.w}));
                EXPECT_TRUE(plan->run(x.view(c, 1), y.view(c, 1)));
            }
            if (kept < 0) return y;
            if (x.type() == ElementType::f64) {
                std::ranges::copy(x.plane_f64(kept), y.plane_f64(kept).begin());
            } else {
                std::ranges::copy(x.plane_f32(kept), y.plane_f32(kept).begin());
            }
            return y;
        }
        const PlanarImage x = from.converted(ElementType::f32);
        const auto plan = iir2d::PoolPlan::make(
            *m_gpu, pool_desc(std::get<PoolOperation>(operation.what), shape, ElementType::f32));
        const auto size = plan->output_shape();
        PlanarImage y(size.w, size.h, static_cast<int>(size.c), ElementType::f32);
        EXPECT_TRUE(plan->forward(x.view(), y.view()));
        return y;
    }

    std::optional<iir2d::Device> m_gpu;
};

struct Case {
    const char* what;
    Recipe recipe;
    int channels = 3;
    int alpha = -1;
    ElementType source = ElementType::f32;
    ElementType result = ElementType::f32;
};

std::vector<Case> cases() {
    Operation off = filter(2);
    off.enabled = false;
    const Operation sharp = filter(6, {}, Precision::f64);
    const Operation average = pool(iir2d::PoolOp::avg, {2, 3});
    const Operation maximum = pool(iir2d::PoolOp::max, {2, 2});
    const auto of = [](std::vector<Operation> operations) {
        return Recipe{.operations = std::move(operations)};
    };
    const auto keeping_alpha = [](std::vector<Operation> operations) {
        return Recipe{.keep_alpha = true, .operations = std::move(operations)};
    };
    constexpr auto f64 = ElementType::f64;
    return {
        {.what = "one filter", .recipe = of({filter(1)})},
        {.what = "with and without workspace", .recipe = of({filter(5), filter(6), filter(3)})},
        {.what = "pooling between filters", .recipe = of({filter(1), average, filter(6), off, maximum})},
        {.what = "pooling first", .recipe = of({pool(iir2d::PoolOp::lp, {3, 3}), filter(2)})},
        {.what = "precisions that change",
         .recipe =
             of({filter(1), filter(2, {}, Precision::f64), filter(5, {}, Precision::mixed), sharp, maximum}),
         .result = f64},
        {.what = "doubles in floats", .recipe = of({filter(1), filter(8)}), .source = f64},
        {.what = "doubles in doubles", .recipe = of({sharp}), .source = f64, .result = f64},
        {.what = "alpha behind", .recipe = keeping_alpha({filter(1), filter(6)}), .channels = 4, .alpha = 3},
        {.what = "alpha in front",
         .recipe = keeping_alpha({filter(5), sharp}),
         .channels = 2,
         .alpha = 0,
         .result = f64},
        {.what = "alpha in the middle, pooled",
         .recipe = keeping_alpha({filter(1), average, filter(6), filter(2)}),
         .channels = 5,
         .alpha = 2},
        {.what = "alpha that is not kept", .recipe = of({filter(1)}), .channels = 4, .alpha = 3},
    };
}

TEST_F(GpuApply, TheChainGivesTheBytesOfTheOperationsOneByOne) {
    for (const Case& c : cases()) {
        const PlanarImage source = random_image(37, 29, c.channels, c.source);
        const PlanarImage expected = one_by_one(c.recipe, source, c.alpha).converted(c.result);
        ApplyWork alone;
        const auto without = applied(c.recipe, source, alone, c.alpha);
        ASSERT_TRUE(without) << c.what << ": " << without.error().message;
        EXPECT_TRUE(same_bytes(*without, expected)) << c.what;
        ASSERT_TRUE(alone.gpu_time) << c.what;
        const auto source_bytes = static_cast<std::int64_t>(source.bytes().size());
        EXPECT_EQ(alone.gpu_time->uploaded_bytes, source_bytes) << c.what;
        EXPECT_EQ(alone.gpu_time->downloaded_bytes, static_cast<std::int64_t>(expected.bytes().size()))
            << c.what;
        EXPECT_GT(alone.gpu_time->compute_ms, 0.0);

        ResidentSource resident;
        for (int round = 0; round < 3; ++round) {
            const std::int64_t before = uploaded_so_far();
            ApplyWork work{.resident = &resident};
            const auto result = applied(c.recipe, source, work, c.alpha);
            ASSERT_TRUE(result) << c.what << ": " << result.error().message;
            EXPECT_TRUE(same_bytes(*result, expected)) << c.what << ", round " << round;
            const std::int64_t wanted = round == 0 ? source_bytes : 0;
            EXPECT_EQ(work.gpu_time->uploaded_bytes, wanted) << c.what << ", round " << round;
            EXPECT_EQ(uploaded_so_far() - before, wanted) << c.what << ", round " << round;
        }
    }
}

TEST_F(GpuApply, AgreesWithTheCpu) {
    const PlanarImage source = random_image(40, 30, 3);
    const Recipe recipe{.operations = {filter(6), pool(iir2d::PoolOp::avg, {2, 2}), filter(1)}};
    ApplyWork work;
    const auto gpu = applied(recipe, source, work);
    ASSERT_TRUE(gpu);
    const auto host = apply(recipe, source, -1, cpu());
    ASSERT_TRUE(host);
    EXPECT_LT(rms_difference(*gpu, *host), 1e-5);
}

TEST_F(GpuApply, OtherParametersUploadNothing) {
    const PlanarImage source = random_image(64, 48, 3);
    ResidentSource resident;
    ApplyWork first{.resident = &resident};
    ASSERT_TRUE(applied({.operations = {filter(1)}}, source, first));
    const std::int64_t before = uploaded_so_far();
    for (const double alpha : {0.1, 0.3, 0.5, 0.7}) {
        const Recipe recipe{.operations = {filter(1, {{"alpha", alpha}})}};
        ApplyWork work{.resident = &resident};
        const auto result = applied(recipe, source, work);
        ASSERT_TRUE(result);
        EXPECT_TRUE(same_bytes(*result, one_by_one(recipe, source)));
    }
    EXPECT_EQ(uploaded_so_far() - before, 4 * static_cast<std::int64_t>(source.bytes().size()))
        << "what the comparison uploads, and no more";
}

TEST_F(GpuApply, UploadsAgainForAnotherImageTypeOrGpu) {
    const Recipe recipe{.operations = {filter(1)}};
    ResidentSource resident;
    const auto uploaded = [&](const PlanarImage& source, const iir2d::Device& device) {
        ApplyWork work{.resident = &resident};
        const auto result = apply(recipe, source, -1, device, {}, work);
        EXPECT_TRUE(result) << result.error().message;
        return work.gpu_time->uploaded_bytes;
    };
    const PlanarImage small = random_image(20, 10, 1);
    const PlanarImage large = random_image(21, 10, 1);
    const PlanarImage doubles = random_image(21, 10, 1, ElementType::f64);
    const auto second = *iir2d::Device::cuda(1);
    EXPECT_EQ(uploaded(small, *m_gpu), 20 * 10 * 4);
    EXPECT_EQ(uploaded(small, *m_gpu), 0);
    EXPECT_EQ(uploaded(large, *m_gpu), 21 * 10 * 4);
    EXPECT_EQ(uploaded(doubles, *m_gpu), 21 * 10 * 8);
    EXPECT_EQ(uploaded(doubles, *m_gpu), 0);
    EXPECT_EQ(uploaded(doubles, second), 21 * 10 * 8);
    EXPECT_EQ(uploaded(doubles, second), 0);
    resident.planes.reset();
    EXPECT_EQ(uploaded(doubles, second), 21 * 10 * 8);
}

TEST_F(GpuApply, ProgressRisesToOneAndAStopStops) {
    const PlanarImage source = random_image(32, 32, 2);
    const Recipe recipe{.operations = {filter(1), filter(6), pool(iir2d::PoolOp::max, {2, 2})}};
    ResidentSource resident;
    for (int round = 0; round < 2; ++round) {
        double last = 0;
        ApplyWork work{.resident = &resident};
        const TaskControl control{.progress = [&](double fraction, std::string_view) {
            EXPECT_GE(fraction, last);
            last = fraction;
        }};
        ASSERT_TRUE(applied(recipe, source, work, -1, control));
        EXPECT_DOUBLE_EQ(last, 1.0);
    }
    for (int call = 1; call <= 4; ++call) {
        std::stop_source stop;
        int calls = 0;
        ApplyWork work{.resident = &resident};
        const TaskControl control{.stop = stop.get_token(), .progress = [&](double, std::string_view) {
                                      if (++calls == call) stop.request_stop();
                                  }};
        const auto result = applied(recipe, source, work, -1, control);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
        EXPECT_EQ(result.error().message, "applying the recipe was cancelled");
        EXPECT_TRUE(resident.planes) << "what is uploaded stays good";
    }
}

TEST_F(GpuApply, WithoutRoomForTheChainTheOperationsRunOneByOne) {
    const PlanarImage source = random_image(32, 32, 2);
    const Recipe recipe{.operations = {filter(1), filter(6), pool(iir2d::PoolOp::max, {2, 2})}};
    const PlanarImage expected = one_by_one(recipe, source);
    // The source, the first filter's result, the second's workspace and the pool's result.
    constexpr int of_a_chain = 4;
    int fell_back = 0;
    for (int allocation = 1; allocation <= of_a_chain + 1; ++allocation) {
        scenario("queued=1,alloc=" + std::to_string(fake_cuda::counts().allocations + allocation));
        ResidentSource resident;
        ApplyWork work{.resident = &resident};
        const auto result = applied(recipe, source, work);
        ASSERT_TRUE(result) << allocation << ": " << result.error().message;
        EXPECT_TRUE(same_bytes(*result, expected)) << allocation;
        if (resident.planes) continue;
        ++fell_back;
        // Every operation's own: what the abandoned chain uploaded does not count.
        EXPECT_GT(work.gpu_time->uploaded_bytes, static_cast<std::int64_t>(source.bytes().size()));
    }
    EXPECT_EQ(fell_back, of_a_chain);
}

TEST_F(GpuApply, ALostGpuDropsTheSourceAndIsToldInASentence) {
    const PlanarImage source = random_image(32, 32, 2);
    const Recipe recipe{.operations = {filter(1), filter(6)}};
    const PlanarImage expected = one_by_one(recipe, source);
    ResidentSource resident;
    ApplyWork before{.resident = &resident};
    ASSERT_TRUE(applied(recipe, source, before));
    ASSERT_TRUE(resident.planes);
    // The third launch: the second filter's first.
    scenario("queued=1,launch=" + std::to_string(fake_cuda::counts().launches + 3));
    ApplyWork losing{.resident = &resident};
    const auto lost = applied(recipe, source, losing);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().kind, ErrorKind::device_failure);
    EXPECT_THAT(lost.error().message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_THAT(lost.error().message, testing::StartsWith("operation 2 ("));
    EXPECT_FALSE(resident.planes);
    scenario("queued=1,devices=2");
    ApplyWork work{.resident = &resident};
    const auto again = applied(recipe, source, work);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(same_bytes(*again, expected));
    EXPECT_GT(work.gpu_time->uploaded_bytes, 0);
}

TEST_F(GpuApply, PlanesLostBehindItsBackAreUploadedAgain) {
    const PlanarImage source = random_image(32, 32, 2);
    const Recipe recipe{.operations = {filter(1)}};
    ResidentSource resident;
    ApplyWork first{.resident = &resident};
    ASSERT_TRUE(applied(recipe, source, first));
    // Somebody else's launch faults.
    scenario("queued=1,launch=" + std::to_string(fake_cuda::counts().launches + 1));
    ApplyWork other;
    EXPECT_FALSE(applied(recipe, source, other));
    ASSERT_TRUE(resident.planes->is_lost());
    scenario("queued=1,devices=2");
    ApplyWork work{.resident = &resident};
    const auto again = applied(recipe, source, work);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(same_bytes(*again, one_by_one(recipe, source)));
    EXPECT_EQ(work.gpu_time->uploaded_bytes, static_cast<std::int64_t>(source.bytes().size()));
}

TEST_F(GpuApply, ARecipeThatDoesNothingTouchesNoGpu) {
    const PlanarImage source = random_image(8, 8, 1);
    const std::int64_t before = uploaded_so_far();
    ResidentSource resident;
    ApplyWork work{.resident = &resident};
    const auto result = applied({}, source, work);
    ASSERT_TRUE(result);
    EXPECT_TRUE(same_bytes(*result, source));
    EXPECT_FALSE(work.gpu_time);
    EXPECT_FALSE(resident.planes);
    EXPECT_EQ(uploaded_so_far(), before);
}

}  // namespace
}  // namespace workbench
