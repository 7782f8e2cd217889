// SPDX-License-Identifier: MIT
// Small real runs through the kernels, field by field.
#include "core/benchmark/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/benchmark/synthetic.h"
#include "core/benchmark/workload.h"

namespace workbench {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

BenchmarkMatrix small() {
    BenchmarkMatrix m;
    m.sizes = {{64, 64}};
    m.filter_ids = {1};
    m.precisions = {iir2d::Precision::f32};
    m.device = "cpu";
    m.threads = 1;
    m.warmup = 1;
    m.iterations = 3;
    return m;
}

ImagePtr image_of(int channels, iir2d::ElementType type, int alpha_channel = -1) {
    Image image;
    image.pixels = PlanarImage(40, 30, channels, type);
    for (int c = 0; c < channels; ++c) {
        const PlanarImage plane = synthetic_plane(40, 30, type, static_cast<std::uint64_t>(c) + 9);
        if (type == iir2d::ElementType::f64) {
            std::ranges::copy(plane.plane_f64(0), image.pixels.plane_f64(c).begin());
        } else {
            std::ranges::copy(plane.plane_f32(0), image.pixels.plane_f32(c).begin());
        }
    }
    image.info.channels = channels;
    image.info.alpha_channel = alpha_channel;
    return std::make_shared<const Image>(std::move(image));
}

void expect_no_failures(const std::vector<CaseResult>& results) {
    for (const auto& result : results) {
        EXPECT_FALSE(result.failure) << result.what.key << ": " << result.failure.value_or("");
    }
}

TEST(RunBenchmark, FillsEveryField) {
    const BenchmarkMatrix m = small();
    int called = 0;
    const auto run = run_benchmark(m, {}, [&](const CaseResult& r) {
        ++called;
        EXPECT_EQ(r.samples.size(), 3U);
    });
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(called, 1);
    EXPECT_EQ(run->device.id, "cpu");
    EXPECT_FALSE(run->device.name.empty());
    EXPECT_FALSE(run->device_reason.empty());
    EXPECT_EQ(run->threads, 1);
    EXPECT_FALSE(run->cancelled);
    EXPECT_EQ(run->case_total, 1);
    EXPECT_FALSE(run->copy_method.empty());
    const auto utc = MatchesRegex("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z");
    EXPECT_THAT(run->started_utc, utc);
    EXPECT_THAT(run->finished_utc, utc);
    EXPECT_LE(run->started_utc, run->finished_utc);
    ASSERT_EQ(run->results.size(), 1U);

    const CaseResult& r = run->results[0];
    EXPECT_EQ(r.what.key, "filter:1 border:mirror precision:f32 size:64x64");
    EXPECT_THAT(r.started_utc, utc);
    EXPECT_FALSE(r.kernel.name.empty());
    EXPECT_FALSE(r.failure);
    EXPECT_TRUE(r.parity->passed);
    EXPECT_LE(r.parity->max_abs_error, 1e-5);
    EXPECT_GE(r.parity->bound, 1e-5);
    ASSERT_EQ(r.samples.size(), 3U);
    std::vector<double> ms;
    for (const auto& sample : r.samples) {
        EXPECT_GT(sample.latency_ms, 0);
        ms.push_back(sample.latency_ms);
    }
    EXPECT_EQ(r.latency.min, std::ranges::min(ms));
    EXPECT_EQ(r.latency.max, std::ranges::max(ms));
    EXPECT_DOUBLE_EQ(r.latency.p50, percentile(ms, 50));
    EXPECT_GT(r.copy_latency.p50, 0);
    EXPECT_GT(r.memcpy_ms_p50, 0);
    EXPECT_DOUBLE_EQ(r.ratio_to_copy, r.latency.p50 / r.copy_latency.p50);
    EXPECT_EQ(r.bytes_moved, 64U * 64 * 8);
    EXPECT_EQ(r.input_sha256, pixel_hash(synthetic_plane(64, 64, iir2d::ElementType::f32, 1)));
    EXPECT_THAT(r.output_sha256, MatchesRegex("[0-9a-f]+"));
    EXPECT_NE(r.output_sha256, r.input_sha256);
}

TEST(RunBenchmark, GivesTheSameOutputOnAnyThreads) {
    BenchmarkMatrix m = small();
    m.iterations = 1;
    m.filter_ids = {4, 6};
    const auto one = run_benchmark(m);
    m.threads = 2;
    const auto two = run_benchmark(m);
    ASSERT_TRUE(one && two);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(one->results[i].output_sha256, two->results[i].output_sha256);
    }
}

TEST(RunBenchmark, MeasuresEveryKindOfCase) {
    BenchmarkMatrix m = small();
    m.precisions = {iir2d::Precision::f32, iir2d::Precision::mixed, iir2d::Precision::f64};
    m.pools = {{.op = iir2d::PoolOp::max},
               {.op = iir2d::PoolOp::avg, .window = {3, 3}, .stride = iir2d::Extent{2, 2}, .padding = {1, 1}},
               {.op = iir2d::PoolOp::lp, .p = 3}};
    m.recipe = Recipe{.name = "two",
                      .operations = {{.what = FilterOperation{.filter_id = 5}},
                                     {.what = PoolOperation{.op = iir2d::PoolOp::avg}}}};
    const auto run = run_benchmark(m);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->results.size(), 7U);
    expect_no_failures(run->results);
    EXPECT_EQ(run->results[1].bytes_moved, 64U * 64 * 8) << "mixed stores floats";
    EXPECT_EQ(run->results[2].bytes_moved, 64U * 64 * 16);
    EXPECT_EQ(run->results[3].bytes_moved, 64U * 64 * 4 + 32U * 32 * 4);
    EXPECT_EQ(run->results[3].parity->max_abs_error, 0);
    EXPECT_TRUE(run->results[4].parity->bound_is_relative);
    EXPECT_EQ(run->results[6].bytes_moved, 64U * 64 * 4 + 32U * 32 * 4);
    EXPECT_FALSE(run->results[6].kernel.name.empty());
}

TEST(RunBenchmark, PoolsInEveryTypeForwardAndBackward) {
    BenchmarkMatrix m = small();
    m.sizes = {{37, 29}};
    m.filter_ids = {};
    m.iterations = 1;
    m.pools = {{.op = iir2d::PoolOp::max, .window = {3, 3}, .stride = iir2d::Extent{2, 2}, .padding = {1, 1}},
               {.op = iir2d::PoolOp::avg, .window = {3, 2}, .ceil_mode = true, .divisor_override = -3},
               {.op = iir2d::PoolOp::lp, .window = {4, 3}, .stride = iir2d::Extent{1, 2}, .p = 1.5},
               {.op = iir2d::PoolOp::adaptive_max, .output = {5, 7}},
               {.op = iir2d::PoolOp::adaptive_avg, .output = {40, 7}}};
    using enum iir2d::ElementType;
    m.pool_elements = {f32, f64, f16, bf16};
    m.pool_passes = {PoolPass::forward, PoolPass::backward};
    const auto run = run_benchmark(m);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->results.size(), 40U);
    expect_no_failures(run->results);
    for (const CaseResult& r : run->results) {
        const iir2d::Shape shape{1, 1, 29, 37};
        const PoolCase& pool = *r.what.pool();
        const Traffic traffic = pool_traffic(pool.pool, shape, pool.element, pool.pass).value();
        EXPECT_EQ(r.bytes_moved, traffic.read + traffic.written) << r.what.key;
        EXPECT_EQ(r.kernel.element, pool.element) << r.what.key;
        EXPECT_EQ(r.kernel.name.ends_with("_backward"), pool.pass == PoolPass::backward) << r.what.key;
        EXPECT_TRUE(r.parity->max_ulp <= 1 || iir2d::element_size(pool.element) != 2) << r.what.key;
    }
    EXPECT_EQ(run->results[0].input_sha256, pixel_hash(synthetic_plane(37, 29, f32, 1)));
    EXPECT_NE(run->results[4].input_sha256, run->results[0].input_sha256) << "rounded to f16";
}

TEST(RunBenchmark, RunsFiltersOnTheFirstChannelAndRecipesOnAll) {
    BenchmarkMatrix m = small();
    m.image = image_of(3, iir2d::ElementType::f32);
    m.precisions = {iir2d::Precision::f32, iir2d::Precision::f64};
    m.pools = {{}};
    m.recipe = Recipe{.operations = {{.what = FilterOperation{.filter_id = 2}}}};
    const auto run = run_benchmark(m);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->results.size(), 4U);
    expect_no_failures(run->results);
    EXPECT_EQ(run->results[0].bytes_moved, 40U * 30 * 8);
    EXPECT_EQ(run->results[0].input_sha256, pixel_hash(synthetic_plane(40, 30, iir2d::ElementType::f32, 9)));
    EXPECT_EQ(run->results[1].input_sha256, pixel_hash(synthetic_plane(40, 30, iir2d::ElementType::f64, 9)));
    EXPECT_EQ(run->results[3].bytes_moved, 3U * 40 * 30 * 8);
    EXPECT_EQ(run->results[3].input_sha256, pixel_hash(m.image->pixels));
    EXPECT_DOUBLE_EQ(run->results[3].throughput_mpix_per_s_p50, 40 * 30 / run->results[3].latency.p50 / 1e3);
}

TEST(RunBenchmark, LeavesAlphaAloneWhenTheRecipeSaysSo) {
    BenchmarkMatrix m = small();
    m.filter_ids = {};
    m.image = image_of(4, iir2d::ElementType::f32, 3);
    m.recipe = Recipe{.keep_alpha = true, .operations = {{.what = FilterOperation{.filter_id = 1}}}};
    const auto run = run_benchmark(m);
    ASSERT_TRUE(run) << run.error().message;
    expect_no_failures(run->results);
}

TEST(RunBenchmark, FollowsARecipeIntoDouble) {
    BenchmarkMatrix m = small();
    m.filter_ids = {};
    m.image = image_of(2, iir2d::ElementType::f32);
    m.recipe = Recipe{
        .operations = {
            {.what = FilterOperation{.filter_id = 3, .border = iir2d::Border::constant, .border_const = 9}},
            {.what = FilterOperation{.filter_id = 6, .precision = iir2d::Precision::f64}},
            {.what = PoolOperation{.op = iir2d::PoolOp::lp}}}};
    const auto run = run_benchmark(m);
    ASSERT_TRUE(run) << run.error().message;
    expect_no_failures(run->results);
}

TEST(RunBenchmark, JudgesImagesBeyondTheUnitIntervalAtTheirScale) {
    auto image = std::make_shared<Image>(*image_of(1, iir2d::ElementType::f32));
    for (float& v : image->pixels.plane_f32(0)) v = (v - 0.5F) * 2e4F;
    BenchmarkMatrix m = small();
    m.filter_ids = {1, 2, 3, 4, 5, 6, 7, 8};
    m.pools = {{.op = iir2d::PoolOp::avg}, {.op = iir2d::PoolOp::lp}, {.op = iir2d::PoolOp::max}};
    m.image = image;
    const auto results = run_parity(m);
    ASSERT_TRUE(results) << results.error().message;
    expect_no_failures(*results);
}

TEST(RunBenchmark, SurvivesNanAndInfinityInAnImage) {
    auto image = std::make_shared<Image>(*image_of(1, iir2d::ElementType::f32));
    image->pixels.plane_f32(0)[20] = std::numeric_limits<float>::quiet_NaN();
    image->pixels.plane_f32(0)[600] = std::numeric_limits<float>::infinity();
    BenchmarkMatrix m = small();
    m.pools = {{.op = iir2d::PoolOp::max}};
    m.image = image;
    const auto run = run_benchmark(m);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->results.size(), 2U);
    expect_no_failures(run->results);
}

TEST(RunBenchmark, RefusesADeviceThatIsNotThere) {
    BenchmarkMatrix m = small();
    m.device = "cuda:97";
    const auto run = run_benchmark(m);
    ASSERT_FALSE(run);
    EXPECT_FALSE(run.error().message.empty());
    m.device = "toaster";
    ASSERT_FALSE(run_benchmark(m));
}

TEST(RunBenchmark, KeepsCompleteCasesWhenCancelled) {
    BenchmarkMatrix m = small();
    m.filter_ids = {1, 2, 3};
    std::stop_source source;
    const auto run = run_benchmark(m, {.stop = source.get_token()}, [&](const CaseResult& r) {
        if (r.what.filter()->filter_id == 2) source.request_stop();
    });
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(run->cancelled);
    EXPECT_EQ(run->case_total, 3);
    ASSERT_EQ(run->results.size(), 2U);
    EXPECT_EQ(run->results[1].samples.size(), 3U);
    EXPECT_FALSE(run->finished_utc.empty());
}

TEST(RunBenchmark, IsAnErrorWhenCancelledBeforeAnythingIsComplete) {
    std::stop_source source;
    source.request_stop();
    const auto run = run_benchmark(small(), {.stop = source.get_token()});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().kind, ErrorKind::cancelled);
    EXPECT_THAT(run.error().message, HasSubstr("nothing to keep"));
    const auto parity = run_parity(small(), {.stop = source.get_token()});
    ASSERT_FALSE(parity);
    EXPECT_EQ(parity.error().kind, ErrorKind::cancelled);
}

TEST(RunBenchmark, StopsInsideTheReference) {
    std::stop_source source;
    source.request_stop();
    const auto cpu = iir2d::Device::cpu(1);
    ASSERT_TRUE(cpu);
    InputSource inputs(small());
    ReferenceCache cache;
    BenchmarkMatrix m = small();
    m.pools = {{.op = iir2d::PoolOp::avg}};
    m.recipe = Recipe{.operations = {{.what = FilterOperation{}}}};
    const auto cases = expand(m);
    ASSERT_TRUE(cases);
    for (const auto& what : *cases) {
        const auto workload = make_workload(what, inputs.input_of(what), *cpu, cache);
        ASSERT_TRUE(workload) << workload.error().message;
        const auto judged = (*workload)->judge(0, {.stop = source.get_token()});
        ASSERT_FALSE(judged) << what.key;
        EXPECT_EQ(judged.error().kind, ErrorKind::cancelled);
    }
    EXPECT_TRUE(cache.key.empty()) << "half a reference is not kept";
}

TEST(RunBenchmark, ReportsProgressOverTheWhole) {
    BenchmarkMatrix m = small();
    m.filter_ids = {1, 2};
    double last = 0;
    const auto run = run_benchmark(m, {.progress = [&](double fraction, std::string_view) {
                                       EXPECT_GE(fraction, last - 1e-12);
                                       last = fraction;
                                   }});
    ASSERT_TRUE(run);
    EXPECT_DOUBLE_EQ(last, 1);
}

TEST(RunParity, JudgesWithoutTiming) {
    BenchmarkMatrix m = small();
    m.sizes = {{1, 1}, {1, 7}, {5, 3}, {33, 17}};
    m.filter_ids = {1, 2, 3, 4, 5, 6, 7, 8};
    m.borders = {iir2d::Border::clamp, iir2d::Border::mirror, iir2d::Border::wrap, iir2d::Border::constant};
    m.precisions = {iir2d::Precision::f32, iir2d::Precision::mixed, iir2d::Precision::f64};
    const auto results = run_parity(m);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(results->size(), 4U * 8 * 4 * 3);
    expect_no_failures(*results);
    for (const auto& r : *results) {
        EXPECT_TRUE(r.samples.empty());
        EXPECT_TRUE(r.parity->passed);
    }
}

}  // namespace
}  // namespace workbench
