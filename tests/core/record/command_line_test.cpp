// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "core/record/record.h"

namespace workbench {
namespace {

TEST(BenchCommandLine, NamesTheDefaults) {
    EXPECT_EQ(bench_command_line({}, "", ""),
              "iir2d bench --filter-ids 1,4,8 --border-modes mirror --precisions f32,mixed --device auto "
              "--warmup 10 --iters 50 --sizes 1024x1024,2048x2048");
}

TEST(BenchCommandLine, NamesPoolingThreadsAndSeed) {
    BenchmarkMatrix m;
    m.filter_ids = {};
    m.sizes = {{640, 480}};
    m.pools = {{.op = iir2d::PoolOp::max}, {.op = iir2d::PoolOp::avg}};
    m.device = "cpu";
    m.threads = 2;
    m.warmup = 0;
    m.iterations = 7;
    m.seed = 18446744073709551615ULL;
    EXPECT_EQ(bench_command_line(m, "", ""),
              "iir2d bench --pool-ops max,avg --window 2x2 --device cpu --threads 2 --warmup 0 --iters 7 "
              "--sizes 640x480 --seed 18446744073709551615");
}

TEST(BenchCommandLine, GivesDifferentWindowsACommandEach) {
    BenchmarkMatrix m;
    m.filter_ids = {2};
    m.sizes = {{64, 64}};
    m.pools = {{.op = iir2d::PoolOp::max},
               {.op = iir2d::PoolOp::lp, .window = {3, 5}, .stride = iir2d::Extent{1, 2}, .p = 1.5},
               {.op = iir2d::PoolOp::avg}};
    EXPECT_EQ(
        bench_command_line(m, "", ""),
        "iir2d bench --filter-ids 2 --border-modes mirror --precisions f32,mixed --pool-ops max,avg "
        "--window 2x2 --device auto --warmup 10 --iters 50 --sizes 64x64 && "
        "iir2d bench --pool-ops lp --window 3x5 --stride 1x2 --p 1.5 --device auto --warmup 10 --iters 50 "
        "--sizes 64x64");
}

TEST(BenchCommandLine, NamesElementTypesPassesAndOutputSizes) {
    BenchmarkMatrix m;
    m.filter_ids = {};
    m.sizes = {{64, 64}};
    m.pools = {{.op = iir2d::PoolOp::max, .padding = {1, 1}},
               {.op = iir2d::PoolOp::adaptive_max, .output = {7, 5}},
               {.op = iir2d::PoolOp::adaptive_avg, .output = {7, 5}}};
    m.pool_elements = {iir2d::ElementType::f32, iir2d::ElementType::bf16};
    m.pool_passes = {PoolPass::backward};
    EXPECT_EQ(
        bench_command_line(m, "", ""),
        "iir2d bench --pool-ops max,adaptive-max,adaptive-avg --window 2x2 --padding 1x1 --output 7x5 "
        "--pool-dtypes f32,bf16 --pool-passes backward --device auto --warmup 10 --iters 50 --sizes 64x64");
}

TEST(BenchCommandLine, QuotesPathsForAShell) {
    BenchmarkMatrix m;
    m.filter_ids = {};
    m.recipe = Recipe{.operations = {{.what = FilterOperation{}}}};
    Image image;
    image.pixels = PlanarImage(4, 4, 1, iir2d::ElementType::f32);
    m.image = std::make_shared<const Image>(std::move(image));
    EXPECT_EQ(bench_command_line(m, "my photo's $HOME.png", "a.json"),
              "iir2d bench --recipe a.json --device auto --warmup 10 --iters 50 --image "
              "'my photo'\\''s $HOME.png'");
}

}  // namespace
}  // namespace workbench
