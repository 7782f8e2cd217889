// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/benchmark/benchmark.h"

namespace workbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

BenchmarkMatrix one_case() {
    BenchmarkMatrix m;
    m.sizes = {{64, 48}};
    m.filter_ids = {1};
    m.precisions = {iir2d::Precision::f32};
    return m;
}

std::vector<std::string> keys_of(const BenchmarkMatrix& m) {
    const auto cases = expand(m);
    EXPECT_TRUE(cases) << (cases ? "" : cases.error().message);
    std::vector<std::string> keys;
    if (cases) {
        for (const auto& c : *cases) keys.push_back(c.key);
    }
    return keys;
}

void expect_refused(const BenchmarkMatrix& m, const std::string& part) {
    const auto cases = expand(m);
    ASSERT_FALSE(cases) << part;
    EXPECT_EQ(cases.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(cases.error().message, HasSubstr(part));
}

TEST(Expand, OrdersBySizeFilterBorderPrecision) {
    BenchmarkMatrix m;
    m.sizes = {{8, 4}, {16, 4}};
    m.filter_ids = {4, 1};
    m.borders = {iir2d::Border::mirror};
    m.precisions = {iir2d::Precision::f32, iir2d::Precision::f64};
    EXPECT_THAT(keys_of(m), ElementsAre("filter:4 border:mirror precision:f32 size:8x4",
                                        "filter:4 border:mirror precision:f64 size:8x4",
                                        "filter:1 border:mirror precision:f32 size:8x4",
                                        "filter:1 border:mirror precision:f64 size:8x4",
                                        "filter:4 border:mirror precision:f32 size:16x4",
                                        "filter:4 border:mirror precision:f64 size:16x4",
                                        "filter:1 border:mirror precision:f32 size:16x4",
                                        "filter:1 border:mirror precision:f64 size:16x4"));
}

TEST(Expand, CollapsesDuplicates) {
    BenchmarkMatrix m = one_case();
    m.sizes = {{64, 48}, {64, 48}};
    m.filter_ids = {1, 1};
    m.pools = {{}, {}, {.stride = iir2d::Extent{2, 2}}};  // the default stride is the window
    EXPECT_THAT(keys_of(m), ElementsAre("filter:1 border:mirror precision:f32 size:64x48",
                                        "pool:max window:2x2 stride:2x2 size:64x48"));
}

TEST(Expand, NamesEverythingThatMakesAPoolingDifferent) {
    BenchmarkMatrix m = one_case();
    m.filter_ids = {};
    m.pools = {{.op = iir2d::PoolOp::avg,
                .window = {3, 5},
                .stride = iir2d::Extent{1, 2},
                .padding = {1, 2},
                .dilation = {2, 1},
                .ceil_mode = true,
                .count_include_pad = true,
                .divisor_override = 7},
               {.op = iir2d::PoolOp::lp, .p = 2.5}};
    EXPECT_THAT(keys_of(m), ElementsAre("pool:avg window:3x5 stride:1x2 padding:1x2 dilation:2x1 ceil "
                                        "include-pad divisor:7 size:64x48",
                                        "pool:lp window:2x2 stride:2x2 p:2.5 size:64x48"));
}

TEST(Expand, MultipliesPoolingByElementTypesAndPasses) {
    BenchmarkMatrix m = one_case();
    m.filter_ids = {};
    m.pools = {{}, {.op = iir2d::PoolOp::adaptive_avg, .output = {7, 5}}};
    m.pool_elements = {iir2d::ElementType::f32, iir2d::ElementType::f16};
    m.pool_passes = {PoolPass::forward, PoolPass::backward};
    EXPECT_THAT(keys_of(m), ElementsAre("pool:max window:2x2 stride:2x2 size:64x48",
                                        "pool:max window:2x2 stride:2x2 pass:backward size:64x48",
                                        "pool:max window:2x2 stride:2x2 dtype:f16 size:64x48",
                                        "pool:max window:2x2 stride:2x2 dtype:f16 pass:backward size:64x48",
                                        "pool:adaptive-avg output:7x5 size:64x48",
                                        "pool:adaptive-avg output:7x5 pass:backward size:64x48",
                                        "pool:adaptive-avg output:7x5 dtype:f16 size:64x48",
                                        "pool:adaptive-avg output:7x5 dtype:f16 pass:backward size:64x48"));
}

TEST(PoolTraffic, IsWhatThePassHasToMove) {
    const auto traffic = [](PoolOperation pool, iir2d::ElementType element, PoolPass pass) {
        return pool_traffic(pool, {1, 1, 4, 6}, element, pass).value();
    };
    using enum iir2d::ElementType;
    const PoolOperation max{}, avg{.op = iir2d::PoolOp::avg}, lp{.op = iir2d::PoolOp::lp};
    const PoolOperation adaptive{.op = iir2d::PoolOp::adaptive_max, .output = {1, 1}};
    EXPECT_EQ(traffic(max, f32, PoolPass::forward), (Traffic{24 * 4, 6 * 4}));
    EXPECT_EQ(traffic(max, f16, PoolPass::forward), (Traffic{24 * 2, 6 * 2}));
    EXPECT_EQ(traffic(max, f16, PoolPass::backward), (Traffic{6 * 2 + 6 * 8, 24 * 2}))
        << "and 64-bit indices";
    EXPECT_EQ(traffic(avg, f64, PoolPass::backward), (Traffic{6 * 8, 24 * 8}));
    EXPECT_EQ(traffic(lp, f32, PoolPass::backward), (Traffic{(24 + 6 + 6) * 4, 24 * 4})) << "x, y and dy";
    EXPECT_EQ(traffic(adaptive, bf16, PoolPass::backward), (Traffic{2 + 8, 24 * 2}));
    EXPECT_FALSE(pool_traffic({.window = {9, 9}}, {1, 1, 4, 6}, f32, PoolPass::forward));
}

TEST(Expand, TakesTheSizeAndChannelsOfAnImage) {
    BenchmarkMatrix m = one_case();
    Image image;
    image.pixels = PlanarImage(20, 10, 3, iir2d::ElementType::f32);
    m.image = std::make_shared<const Image>(std::move(image));
    m.recipe = Recipe{.name = "one", .operations = {{.what = FilterOperation{}}}};
    const auto cases = expand(m);
    ASSERT_TRUE(cases) << cases.error().message;
    ASSERT_EQ(cases->size(), 2U);
    EXPECT_EQ((*cases)[0].key, "filter:1 border:mirror precision:f32 size:20x10");
    EXPECT_EQ((*cases)[0].channels, 1);
    EXPECT_EQ((*cases)[1].channels, 3);
    EXPECT_THAT((*cases)[1].key, testing::MatchesRegex("recipe:[0-9a-f]+ channels:3 size:20x10"));
}

TEST(Expand, KeysARecipeByWhatItDoes) {
    const auto key = [](Recipe recipe) {
        BenchmarkMatrix m = one_case();
        m.filter_ids = {};
        m.recipe = std::move(recipe);
        return keys_of(m).at(0);
    };
    const Operation first{.what = FilterOperation{.filter_id = 1}};
    const Operation second{.what = FilterOperation{.filter_id = 2}};
    Operation off = second;
    off.enabled = false;
    EXPECT_EQ(key({.name = "a", .operations = {first}}), key({.name = "b", .operations = {first, off}}));
    EXPECT_NE(key({.operations = {first}}), key({.operations = {second}}));
    EXPECT_NE(key({.operations = {first, second}}), key({.operations = {second, first}}));
}

TEST(Expand, RefusesWhatMakesNoSense) {
    const auto with = [](auto change) {
        BenchmarkMatrix m = one_case();
        change(m);
        return m;
    };
    expect_refused(with([](auto& m) { m.sizes = {}; }), "sizes is empty");
    expect_refused(with([](auto& m) { m.filter_ids = {}; }), "nothing to measure");
    expect_refused(with([](auto& m) { m.borders = {}; }), "borders is empty");
    expect_refused(with([](auto& m) { m.precisions = {}; }), "precisions is empty");
    expect_refused(with([](auto& m) { m.filter_ids = {1, 99}; }), "99");
    expect_refused(with([](auto& m) { m.filter_ids = {0}; }), "0");
    expect_refused(with([](auto& m) { m.sizes = {{0, 5}}; }), "size 0x5");
    expect_refused(with([](auto& m) { m.sizes = {{5, -1}}; }), "size 5x-1");
    expect_refused(with([](auto& m) { m.iterations = 0; }), "iterations 0");
    expect_refused(with([](auto& m) { m.warmup = -1; }), "warmup -1");
    expect_refused(with([](auto& m) { m.threads = -3; }), "threads -3");
    expect_refused(with([](auto& m) { m.recipe = Recipe{}; }), "no operation");
    Recipe named{.name = std::string(longest_recipe_name, 'n'), .operations = {{.what = FilterOperation{}}}};
    EXPECT_TRUE(expand(with([&](auto& m) { m.recipe = named; })));
    named.name += "é";
    expect_refused(with([&](auto& m) { m.recipe = named; }), "the recipe's name has 4001 characters");
    expect_refused(with([](auto& m) { m.pools = {{.window = {0, 2}}}; }), "window");
    expect_refused(with([](auto& m) { m.pools = {{.window = {65, 65}}}; }), "65");
    expect_refused(with([](auto& m) {
                       m.pools = {{}};
                       m.pool_elements = {};
                   }),
                   "element types is empty");
    expect_refused(with([](auto& m) {
                       m.pools = {{}};
                       m.pool_passes = {};
                   }),
                   "passes is empty");
    expect_refused(with([](auto& m) {
                       m.pools = {{.op = iir2d::PoolOp::adaptive_max, .output = {1 << 28, 1 << 28}}};
                   }),
                   "of memory");
    expect_refused(
        with([](auto& m) { m.recipe = Recipe{.operations = {{.what = FilterOperation{.filter_id = 77}}}}; }),
        "77");
    expect_refused(with([](auto& m) { m.image = std::make_shared<const Image>(); }), "image");
}

TEST(Expand, RefusesASizeThatDoesNotFitMemoryAndSaysHowMuchItNeeds) {
    BenchmarkMatrix m = one_case();
    m.sizes = {{2'000'000, 1'000'000}};
    expect_refused(m, "2000000x1000000 needs about 72000.0 GB");
    m.sizes = {{std::int64_t{1} << 40, 1}};
    expect_refused(m, "at most 2147483648");
}

TEST(EstimatedSeconds, GrowsWithTheWork) {
    BenchmarkMatrix m = one_case();
    m.sizes = {{1024, 1024}};
    const double one = estimated_seconds(m);
    EXPECT_GT(one, 0.01);
    EXPECT_LT(one, 60);
    m.filter_ids = {1, 2};
    EXPECT_GT(estimated_seconds(m), 1.5 * one);
    m.iterations *= 10;
    EXPECT_GT(estimated_seconds(m), 3 * one);
    m.filter_ids = {};
    m.pools = {};
    EXPECT_EQ(estimated_seconds(m), 0);
}

TEST(ParityBound, IsTheContracts) {
    BenchmarkMatrix m = one_case();
    m.filter_ids = {1, 2, 3, 4, 5, 6, 7, 8};
    m.precisions = {iir2d::Precision::f32, iir2d::Precision::mixed, iir2d::Precision::f64};
    const auto cases = expand(m);
    ASSERT_TRUE(cases);
    for (const auto& c : *cases) {
        const double expected = precision_of(c) == iir2d::Precision::f32     ? 1e-5
                                : precision_of(c) == iir2d::Precision::mixed ? 1e-6
                                                                             : 1e-12;
        EXPECT_DOUBLE_EQ(parity_bound(c), expected) << c.key;
    }
    BenchmarkCase what{.operation = PoolCase{}};
    PoolCase& pool = std::get<PoolCase>(what.operation);
    EXPECT_EQ(parity_bound(what), 0);
    pool.pool.op = iir2d::PoolOp::avg;
    EXPECT_DOUBLE_EQ(parity_bound(what), 2e-6);
    pool.pool.op = iir2d::PoolOp::lp;
    EXPECT_DOUBLE_EQ(parity_bound(what), 2e-6);
    pool.element = iir2d::ElementType::f64;
    EXPECT_DOUBLE_EQ(parity_bound(what), 1e-12);
    pool.element = iir2d::ElementType::bf16;
    EXPECT_DOUBLE_EQ(parity_bound(what), 0x1p-7);
    pool.pool.op = iir2d::PoolOp::max;
    EXPECT_EQ(parity_bound(what), 0);
    pool.pass = PoolPass::backward;  // sums gradients
    EXPECT_DOUBLE_EQ(parity_bound(what), 0x1p-7);
}

TEST(ParityBound, AddsUpAlongARecipe) {
    BenchmarkCase what;
    what.operation = RecipeCase{{.operations = {{.what = FilterOperation{.filter_id = 1}},
                                                {.enabled = false, .what = FilterOperation{.filter_id = 2}},
                                                {.what = FilterOperation{.filter_id = 1}}}}};
    // Filter 1 has gain 1: the second one passes the first one's error on and adds its own.
    EXPECT_NEAR(parity_bound(what), 2e-5, 1e-9);
}

}  // namespace
}  // namespace workbench
