// SPDX-License-Identifier: MIT
// The runner on workloads of the tests' own: what it does when a result is wrong, changes, fails or is
// cancelled.
#include "core/benchmark/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <thread>
#include <vector>

#include "core/benchmark/synthetic.h"

namespace workbench {
namespace {

using testing::HasSubstr;

// Copies its input, then lets the test spoil the copy; the reference is the input.
class CopyWorkload final : public Workload {
  public:
    explicit CopyWorkload(int channels = 1) : Workload(a_case(channels), an_input(channels)) {}

    void prepare() override { ++prepared; }

    Result<void> compute(const std::stop_token&) override {
        output = *input->pixels;
        ++computed;
        if (spoil) return spoil(*this);
        return {};
    }

    Result<Judgement> judge(int channel, const TaskControl&) override {
        const auto plane = input->pixels->plane_f32(channel);
        return Judgement{std::make_shared<const std::vector<double>>(plane.begin(), plane.end()),
                         {.absolute = 1e-5}};
    }

    std::function<Result<void>(CopyWorkload&)> spoil;
    int computed = 0;
    int prepared = 0;

  private:
    static BenchmarkCase a_case(int channels) {
        BenchmarkCase what;
        what.key = "copy";
        what.label = "copy";
        what.width = 64;
        what.height = 64;
        what.channels = channels;
        return what;
    }
    static BenchmarkInputPtr an_input(int channels) {
        auto input = std::make_shared<BenchmarkInput>();
        auto pixels = std::make_shared<PlanarImage>(64, 64, channels, iir2d::ElementType::f32);
        for (int c = 0; c < channels; ++c) {
            const PlanarImage plane = synthetic_plane(64, 64, iir2d::ElementType::f32, 5);
            std::ranges::copy(plane.plane_f32(0), pixels->plane_f32(c).begin());
        }
        input->pixels = pixels;
        input->sha256 = pixel_hash(*pixels);
        return input;
    }
};

const CaseSettings quick{.warmup = 2, .iterations = 5};

TEST(RunCase, KeepsEverySampleOfAGoodCase) {
    CopyWorkload workload;
    CopyProbe probe(2);
    const auto result = run_case(workload, quick, probe, {});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->failure);
    EXPECT_TRUE(result->parity->passed);
    EXPECT_EQ(result->parity->max_abs_error, 0);
    EXPECT_EQ(workload.computed, 1 + 2 + 5);
    EXPECT_EQ(workload.prepared, workload.computed);
    EXPECT_EQ(result->samples.size(), 5U);
    EXPECT_EQ(result->copy_samples.size(), 5U);
    EXPECT_EQ(result->memcpy_samples.size(), 5U);
    EXPECT_EQ(result->latency.count, 5U);
    EXPECT_EQ(result->bytes_moved, 2U * 64 * 64 * 4);
    EXPECT_EQ(result->input_sha256, result->output_sha256);
    EXPECT_DOUBLE_EQ(result->ratio_to_copy, result->latency.p50 / result->copy_latency.p50);
    EXPECT_DOUBLE_EQ(result->throughput_gb_per_s_p50, 2 * 64 * 64 * 4 / result->latency.p50 / 1e6);
    EXPECT_DOUBLE_EQ(result->throughput_mpix_per_s_p50, 64 * 64 / result->latency.p50 / 1e3);
}

TEST(RunCase, SamplesTheGpuBetweenItsRunsAndNeverDuringOne) {
    CopyWorkload workload;
    bool computing = false;
    workload.spoil = [&](CopyWorkload& w) -> Result<void> {
        computing = true;
        // Once, longer than the interval: a sample falls due while it computes.
        if (w.computed == 4) std::this_thread::sleep_for(GpuWatch::interval + std::chrono::milliseconds(20));
        computing = false;
        return {};
    };
    std::vector<int> taken_after;
    CaseSettings settings = quick;
    settings.gpu_state = [&, test = std::this_thread::get_id()] {
        EXPECT_FALSE(computing);
        EXPECT_EQ(std::this_thread::get_id(), test);
        taken_after.push_back(workload.computed);
        const unsigned n = static_cast<unsigned>(taken_after.size());
        iir2d::DeviceState state{.sm_clock_mhz = 1000 + n,
                                 .temperature_c = 40 + n,
                                 .power_w = {},
                                 .throttle_reasons = n == 2 ? 0x4U : 0x1U,
                                 .reason = "no power"};
        return state;
    };
    CopyProbe probe(1);
    const auto result = run_case(workload, settings, probe, {});
    ASSERT_TRUE(result);
    ASSERT_TRUE(result->gpu);
    EXPECT_EQ(taken_after.front(), 1) << "after the check, before the warm-up";
    EXPECT_THAT(taken_after, testing::Contains(4)) << "as soon as the long run was over";
    EXPECT_EQ(taken_after.back(), 1 + 2 + 5) << "after the last run";
    EXPECT_EQ(result->gpu->samples, static_cast<int>(taken_after.size()));
    EXPECT_EQ(result->gpu->sm_clock_mhz->samples.size(), taken_after.size());
    EXPECT_EQ(result->gpu->sm_clock_mhz->samples.front(), 1001);
    EXPECT_EQ(result->gpu->sm_clock_mhz->max, 1000 + static_cast<double>(taken_after.size()));
    EXPECT_EQ(result->gpu->temperature_c->samples.front(), 41);
    EXPECT_FALSE(result->gpu->power_w);
    EXPECT_EQ(result->gpu->power_w.reason, "no power");
    EXPECT_EQ(*result->gpu->throttle_reasons, 0x5U) << "of all samples together";
    EXPECT_EQ(throttled_by(*result), "power cap");
}

TEST(GpuWatch, SaysWhyNothingIsKnownOfAGpu) {
    GpuWatch watch([] { return iir2d::DeviceState{.reason = "NVML is not installed"}; });
    watch.sample();
    EXPECT_FALSE(watch.states());
    EXPECT_EQ(watch.states().reason, "NVML is not installed");
}

TEST(RunCase, SaysNothingOfAGpuWhereNoneComputesOrNothingWasTimed) {
    CopyWorkload workload;
    CopyProbe probe(1);
    EXPECT_FALSE(run_case(workload, quick, probe, {})->gpu);
    workload.spoil = [](CopyWorkload& w) -> Result<void> {
        if (w.computed > 10) return fail(ErrorKind::device_failure, "the device went away");
        return {};
    };
    CaseSettings settings = quick;
    settings.gpu_state = [] { return iir2d::DeviceState{}; };
    const auto failed = run_case(workload, settings, probe, {});
    ASSERT_TRUE(failed);
    ASSERT_TRUE(failed->failure);
    EXPECT_FALSE(failed->gpu);
    EXPECT_EQ(throttled_by(*failed), "");
}

TEST(RunCase, DoesNotTimeAWrongResult) {
    CopyWorkload workload(2);
    workload.spoil = [](CopyWorkload& w) -> Result<void> {
        w.output.plane_f32(1)[3 * 64 + 7] += 2e-5F;
        return {};
    };
    CopyProbe probe(1);
    const auto result = run_case(workload, quick, probe, {});
    ASSERT_TRUE(result);
    ASSERT_TRUE(result->failure);
    EXPECT_THAT(*result->failure, HasSubstr("column 7, row 3, channel 1"));
    EXPECT_FALSE(result->parity->passed);
    EXPECT_TRUE(result->samples.empty());
    EXPECT_EQ(workload.computed, 1);
    EXPECT_FALSE(result->output_sha256.empty());
}

TEST(RunCase, RefusesAResultOfAnotherSize) {
    CopyWorkload workload;
    workload.spoil = [](CopyWorkload& w) -> Result<void> {
        w.output = PlanarImage(63, 64, 1, iir2d::ElementType::f32);
        return {};
    };
    CopyProbe probe(1);
    const auto result = run_case(workload, quick, probe, {});
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->failure);
    workload.spoil = [](CopyWorkload& w) -> Result<void> {
        w.output = PlanarImage(64, 64, 3, iir2d::ElementType::f32);
        return {};
    };
    const auto more = run_case(workload, quick, probe, {});
    ASSERT_TRUE(more);
    EXPECT_THAT(more->failure.value_or(""), HasSubstr("3 channels instead of 1"));
}

TEST(RunCase, RefusesAResultThatChangesBetweenRuns) {
    CopyWorkload workload;
    workload.spoil = [](CopyWorkload& w) -> Result<void> {
        if (w.computed > 4) w.output.plane_f32(0)[0] += 1e-6F;
        return {};
    };
    CopyProbe probe(1);
    const auto result = run_case(workload, quick, probe, {});
    ASSERT_TRUE(result);
    EXPECT_THAT(result->failure.value_or(""), HasSubstr("not reproducible"));
    EXPECT_TRUE(result->samples.empty());
}

TEST(RunCase, MakesAFailureOfAnErrorHalfWay) {
    CopyWorkload workload;
    workload.spoil = [](CopyWorkload& w) -> Result<void> {
        if (w.computed == 5) return fail(ErrorKind::device_failure, "the device went away");
        return {};
    };
    CopyProbe probe(1);
    const auto result = run_case(workload, quick, probe, {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->failure, "the device went away");
    EXPECT_TRUE(result->samples.empty());
    EXPECT_TRUE(result->copy_samples.empty());
}

TEST(RunCase, SurvivesRunningOutOfMemory) {
    CopyWorkload workload;
    workload.spoil = [](CopyWorkload&) -> Result<void> { throw std::bad_alloc(); };
    CopyProbe probe(1);
    const auto result = run_case(workload, quick, probe, {});
    ASSERT_TRUE(result);
    EXPECT_THAT(result->failure.value_or(""), HasSubstr("not enough memory"));
}

TEST(RunCase, ReturnsOnlyAnErrorWhenCancelled) {
    for (const int when : {1, 2, 4, 8}) {
        CopyWorkload workload;
        std::stop_source source;
        workload.spoil = [&](CopyWorkload& w) -> Result<void> {
            if (w.computed == when) source.request_stop();
            return {};
        };
        CopyProbe probe(1);
        const auto result = run_case(workload, quick, probe, {.stop = source.get_token()});
        if (when == 8) {
            EXPECT_TRUE(result) << "the last iteration was complete";
            continue;
        }
        ASSERT_FALSE(result) << when;
        EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
        EXPECT_LE(workload.computed, when + 1);
    }
}

TEST(RunCase, ReportsProgressThatRises) {
    CopyWorkload workload;
    CopyProbe probe(1);
    double last = -1;
    const TaskControl control{.progress = [&](double fraction, std::string_view what) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        EXPECT_FALSE(what.empty());
        last = fraction;
    }};
    ASSERT_TRUE(run_case(workload, quick, probe, control));
    EXPECT_GE(last, 0.3);
}

}  // namespace
}  // namespace workbench
