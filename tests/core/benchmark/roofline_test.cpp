// SPDX-License-Identifier: MIT
#include "core/benchmark/roofline.h"

#include <gmock/gmock.h>

#include "core/benchmark/arithmetic_probe.h"

namespace workbench {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

BenchmarkCase case_of(const BenchmarkMatrix& matrix) {
    return expand(matrix)->front();
}

BenchmarkMatrix filter_of(int id) {
    BenchmarkMatrix m;
    m.sizes = {{40, 30}};
    m.filter_ids = {id};
    m.precisions = {iir2d::Precision::f32};
    return m;
}

BenchmarkMatrix pool_of(const PoolOperation& pool, PoolPass pass = PoolPass::forward) {
    BenchmarkMatrix m;
    m.sizes = {{6, 4}};
    m.filter_ids = {};
    m.pools = {pool};
    m.pool_passes = {pass};
    return m;
}

TEST(OperationCount, CountsTheTermsOfEachSection) {
    iir2d::AxisFilter axis;
    // y = b0 x + a1 y: two multiplications and an addition.
    const iir2d::Section first{.order = 1, .b = {0.5, 0, 0}, .a = {0.5, 0}, .start_b = {0.5, 0, 0}};
    axis.stages = {{.kind = iir2d::Stage::Kind::causal, .sections = {first}}};
    EXPECT_EQ(operations_per_sample(axis), 3);
    // A second order with all its five terms: 5 and 4.
    const iir2d::Section second{
        .order = 2, .b = {0.1, 0.2, 0.3}, .a = {0.4, 0.1}, .start_b = {0.1, 0.2, 0.3}};
    axis.stages.push_back({.kind = iir2d::Stage::Kind::anticausal, .sections = {second, first}});
    EXPECT_EQ(operations_per_sample(axis), 3 + 9 + 3);
    // A sum adds the two directions.
    axis.stages = {{.kind = iir2d::Stage::Kind::sum, .causal = {second}, .anticausal = {first}}};
    EXPECT_EQ(operations_per_sample(axis), 9 + 3 + 1);
    // What a section of first order has as a second coefficient is no term of it.
    axis.stages = {{.kind = iir2d::Stage::Kind::causal,
                    .sections = {{.order = 1, .b = {1, 0, 0}, .a = {0.5, 0.7}, .start_b = {1, 0, 0}}}}};
    EXPECT_EQ(operations_per_sample(axis), 3);
}

TEST(OperationCount, OfAFilterIsBothAxesOfAllSamples) {
    for (int id = 1; id <= 8; ++id) {
        const auto data = iir2d::make_filter({.id = id});
        ASSERT_TRUE(data);
        const auto count = operation_count(case_of(filter_of(id)));
        ASSERT_TRUE(count);
        EXPECT_EQ(*count,
                  1200 * (operations_per_sample(data->horizontal) + operations_per_sample(data->vertical)));
        EXPECT_GT(*count, 0) << id;
    }
}

TEST(OperationCount, OfPoolingFollowsItsWindows) {
    const auto count = [](const PoolOperation& pool, PoolPass pass = PoolPass::forward) {
        return operation_count(case_of(pool_of(pool, pass))).value();
    };
    // 6x4 in windows of 2x2: 6 outputs, 24 samples.
    EXPECT_EQ(count({.op = iir2d::PoolOp::max}), 24 - 6);
    EXPECT_EQ(count({.op = iir2d::PoolOp::avg}), 24);
    EXPECT_EQ(count({.op = iir2d::PoolOp::lp}), 48);
    EXPECT_EQ(count({.op = iir2d::PoolOp::max}, PoolPass::backward), 6);
    EXPECT_EQ(count({.op = iir2d::PoolOp::avg}, PoolPass::backward), 6 + 24);
    EXPECT_EQ(count({.op = iir2d::PoolOp::lp}, PoolPass::backward), 12 + 72);
    // Overlapping windows that reach beyond the edge: rows 2 3 3 2, columns 2 3 3 3 3 2, each row by each.
    EXPECT_EQ(
        count({.op = iir2d::PoolOp::avg, .window = {3, 3}, .stride = iir2d::Extent{1, 1}, .padding = {1, 1}}),
        10 * 16);
}

TEST(OperationCount, OfARecipeFollowsTheSizes) {
    BenchmarkMatrix m;
    m.sizes = {{40, 30}};
    m.filter_ids = {};
    m.recipe = Recipe{.name = {},
                      .operations = {{.what = FilterOperation{}},
                                     {.enabled = false, .what = FilterOperation{.filter_id = 8}},
                                     {.what = PoolOperation{}},
                                     {.what = FilterOperation{}}}};
    const double ema = *operation_count(case_of(filter_of(1)));
    EXPECT_EQ(*operation_count(case_of(m)), ema + (1200 - 300) + ema / 4);
}

TEST(RooflinePoints, FollowFromTheFigures) {
    CaseResult r;
    r.what = case_of(filter_of(1));
    r.samples = {{.latency_ms = 2}};
    r.latency = summarise(std::vector<double>{2});
    r.copy_latency = summarise(std::vector<double>{1});
    r.bytes_moved = 9600;
    CaseResult failed = r;
    failed.samples.clear();
    const auto points = roofline_points({failed, r});
    ASSERT_EQ(points.size(), 1U);
    const double operations = *operation_count(r.what);
    EXPECT_EQ(points[0].index, 1U);
    EXPECT_DOUBLE_EQ(points[0].intensity, operations / 9600);
    EXPECT_DOUBLE_EQ(points[0].gflops, operations / 2e6);
    EXPECT_DOUBLE_EQ(points[0].copy_gb_per_s, 9600 / 1e6);
    // Twice the time of the copy: half of what the memory allows.
    EXPECT_THAT(points[0].of_bandwidth_ceiling, DoubleNear(0.5, 1e-12));
    EXPECT_DOUBLE_EQ(bandwidth_ceiling(points), 9600 / 1e6);
    EXPECT_EQ(bandwidth_ceiling({}), 0);
}

TEST(ArithmeticProbe, MeasuresBothTypesAndSaysHow) {
    const auto ceiling = measure_arithmetic(1);
    ASSERT_TRUE(ceiling) << ceiling.error().message;
    EXPECT_EQ(ceiling->rounds_f32.size(), 15U);
    EXPECT_EQ(ceiling->gflops_f64, *std::ranges::max_element(ceiling->rounds_f64));
    // Far below any processor of this century, far above what a loop that does nothing would give.
    EXPECT_GT(ceiling->gflops_f64, 0.05);
    EXPECT_LT(ceiling->gflops_f32, 1e5);
    EXPECT_FALSE(ceiling->method.empty());
}

TEST(ArithmeticProbe, StopsAndRefuses) {
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(measure_arithmetic(1, {.stop = source.get_token()}).error().kind, ErrorKind::cancelled);
    EXPECT_EQ(measure_arithmetic(0).error().kind, ErrorKind::bad_argument);
}

}  // namespace
}  // namespace workbench
