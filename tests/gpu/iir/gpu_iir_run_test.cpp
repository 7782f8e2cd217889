// SPDX-License-Identifier: MIT
// What the IIR kernels must keep besides parity at the defaults: long memories, planes, strides, NaN,
// launches.
#include <gtest/gtest.h>

#include <limits>

#include "tests/gpu/iir/gpu_iir_testing.h"

namespace {

using namespace gpu_iir_test;

iir::GpuFilter plan_of(const FilterDesc& desc) {
    return iir::make_gpu_filter(desc, *make_filter(desc.filter));
}

double stated_bound(const FilterDesc& desc) {
    return *FilterPlan::make(*Device::cpu(1), desc)->precision().max_abs_error;
}

// Exact carries, closed periods, warm-ups in long lines: each with poles that make the plan choose it.
TEST(GpuRun, PolesNearOneKeepTheStatedBound) {
    struct Case {
        int id;
        const char* name;
        double value;
    };
    for (const Case& c : {Case{1, "alpha", 0.99}, Case{1, "alpha", 0.999}, Case{1, "alpha", 0.0},
                          Case{2, "a", 0.999}, Case{5, "alpha", 0.999}, Case{6, "sigma", 0.3},
                          Case{6, "sigma", 25.0}, Case{6, "sigma", 100.0}, Case{6, "compat_1_0", 1.0}}) {
        for (const auto [border, start] : all_modes) {
            for (const Precision precision : all_precisions) {
                const FilterDesc desc{.shape = {.h = 211, .w = 190},
                                      .filter = {.id = c.id, .parameters = {{c.name, c.value}}},
                                      .border = border,
                                      .border_const = 0.5,
                                      .precision = precision,
                                      .start = start};
                const auto x = random_plane(count_of(desc.shape), 5);
                const auto outcome = run_gpu(desc, x, {.seed = 4});
                EXPECT_LE(max_abs_difference(outcome.y, run_reference(desc, x)), stated_bound(desc))
                    << describe(desc) << " " << c.name << " " << c.value;
            }
        }
    }
}

// Lines so long that the plan warms up instead of carrying, in every precision.
TEST(GpuRun, LongLinesWarmUp) {
    int warmed_passes = 0;
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Precision precision : all_precisions) {
            for (const bool wide : {true, false}) {
                const FilterDesc desc{.shape = {.h = wide ? 3 : 9000, .w = wide ? 9000 : 3},
                                      .filter = {.id = id},
                                      .precision = precision};
                const auto plan = plan_of(desc);
                warmed_passes += plan.stages[wide ? 0 : 1].axis.passes[0].warmup > 0 ? 1 : 0;
                const auto x = random_plane(count_of(desc.shape), 6);
                const auto outcome = run_gpu(desc, x, {.seed = 5, .in_place = true});
                EXPECT_LE(max_abs_difference(outcome.y, run_reference(desc, x)), stated_bound(desc))
                    << describe(desc);
            }
        }
    }
    EXPECT_EQ(warmed_passes, 8 * 3 * 2);
}

TEST(GpuRun, PlanesAndGapsBetweenRowsAreLeftAlone) {
    struct OfPlane {
        int id;
        std::int64_t h, w;
    };
    for (const auto& [id, h, w] : {OfPlane{1, 37, 41}, OfPlane{4, 37, 41}, OfPlane{6, 37, 41},
                                   OfPlane{1, 130, 70}, OfPlane{4, 70, 130}, OfPlane{5, 70, 130}}) {
        for (const Precision precision : all_precisions) {
            const FilterDesc many{
                .shape = {.n = 2, .c = 3, .h = h, .w = w}, .filter = {.id = id}, .precision = precision};
            const auto x = random_plane(count_of(many.shape), 9);
            const auto dense = run_gpu(many, x, {.seed = 6});
            for (const bool in_place : {true, false}) {
                const auto apart =
                    run_gpu(many, x, {.seed = 7, .in_place = in_place, .row_gap = 3, .plane_gap = 11});
                EXPECT_TRUE(same_bits(dense.y, apart.y)) << describe(many);
                EXPECT_FALSE(apart.wrote_in_a_gap) << describe(many);
            }
            FilterDesc one = many;
            one.shape = {.h = h, .w = w};
            const std::ptrdiff_t size = h * w;
            for (std::ptrdiff_t p = 0; p < 6; ++p) {
                const std::vector<double> plane(x.begin() + p * size, x.begin() + (p + 1) * size);
                const auto alone = run_gpu(one, plane);
                EXPECT_TRUE(std::equal(alone.y.begin(), alone.y.end(), dense.y.begin() + p * size)) << p;
            }
        }
    }
}

// Whether a pixel is finite, in the backend as in the reference; also far behind a warm-up.
TEST(GpuRun, NonFiniteSamplesReachWhatTheyReachInTheReference) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            for (const double bad :
                 {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
                const FilterDesc desc{.shape = {.n = 1, .c = 2, .h = 5, .w = 4000},
                                      .filter = {.id = id},
                                      .border = border,
                                      .start = start};
                auto x = random_plane(count_of(desc.shape), 10);
                x[2 * 4000 + 700] = bad;
                const auto expected = run_reference(desc, x);
                const auto outcome = run_gpu(desc, x, {.seed = 8});
                std::size_t different = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    different += std::isfinite(expected[i]) != std::isfinite(outcome.y[i]) ? 1 : 0;
                }
                EXPECT_EQ(different, 0U) << describe(desc) << " " << bad;
            }
        }
    }
}

TEST(GpuRun, AConstantImageStaysConstantUnderTheSteadyStart) {
    for (const int id : {1, 2, 5, 6, 7}) {
        for (const Border border : all_borders) {
            for (const Precision precision : all_precisions) {
                const FilterDesc desc{.shape = {.h = 150, .w = 3000},
                                      .filter = {.id = id},
                                      .border = border,
                                      .border_const = 0.75,
                                      .precision = precision,
                                      .start = Start::steady};
                const std::vector<double> x(static_cast<std::size_t>(count_of(desc.shape)), 0.75);
                const double bound = precision == Precision::f64 ? 1e-13 : 1e-6;
                EXPECT_LE(max_abs_difference(run_gpu(desc, x).y, x), bound) << describe(desc);
            }
        }
    }
}

// Nothing of a filter that goes in tiles is launched but tiles; of the others two launches, and only sums
// keep a plane.
TEST(GpuRun, OneForwardPassAnAxisGoesInTilesAndTheRestInTwoLaunches) {
    int in_tiles = 0;
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            const FilterDesc desc{
                .shape = {.h = 1024, .w = 1024}, .filter = {.id = id}, .border = border, .start = start};
            const auto plan = plan_of(desc);
            if (plan.tilings.empty()) {
                EXPECT_EQ(plan.stages.size(), 2U) << describe(desc);
                EXPECT_EQ(plan.workspace_bytes, id == 6 ? 4U * 1024 * 1024 : 0U) << describe(desc);
                continue;
            }
            ++in_tiles;
            EXPECT_TRUE(plan.stages.empty());
            EXPECT_LE(plan.workspace_bytes, 4U * 1024 * 1024 / 8) << describe(desc);
        }
    }
    // Of six filters: clamp and constant with both starts, mirror with the truncated one. Of filter 5: clamp
    // with both and mirror.
    EXPECT_EQ(in_tiles, 6 * 5 + 3);
}

std::vector<std::string> kernels_launched(const iir::GpuFilter& plan) {
    std::vector<std::string> names;
    iir::for_each_launch(plan, {64, 1, 1}, {64, 1, 1}, 64, [&](const iir::GpuLaunch& launch) {
        names.emplace_back(launch.kernel);
        return true;
    });
    return names;
}

// What the tiles of a line leave is added up only where there is a third; what rows leave adds to columns.
TEST(GpuRun, TilesAreLaunchedAsOftenAsCarriesNeed) {
    struct Case {
        std::int64_t width, height;
        std::size_t launches;
    };
    for (const Case& c : {Case{64, 64, 1}, Case{65, 64, 2}, Case{64, 65, 2}, Case{65, 65, 3},
                          Case{129, 64, 3}, Case{64, 129, 3}, Case{129, 65, 4}, Case{2048, 2048, 4}}) {
        const auto plan = plan_of({.shape = {.h = c.height, .w = c.width}});
        EXPECT_EQ(kernels_launched(plan).size(), c.launches) << c.width << "x" << c.height;
        EXPECT_EQ(kernels_launched(plan).back(), "iir_tiles_f32_order1_x1");
    }
    EXPECT_TRUE(plan_of({.shape = {.h = 63, .w = 2048}}).tilings.empty());
    EXPECT_TRUE(plan_of({.shape = {.h = 2048, .w = 63}}).tilings.empty());
}

// Tiles of every size, whole and not, with as many carries as there are kinds.
TEST(GpuRun, TilesOfEverySizeKeepTheStatedBound) {
    for (const int id : {1, 2, 3, 4, 5}) {
        for (const auto& [width, height] : {std::pair{64, 64}, std::pair{257, 513}, std::pair{400, 66}}) {
            for (const Border border : {Border::clamp, Border::constant, Border::mirror}) {
                for (const Precision precision : all_precisions) {
                    const FilterDesc desc{.shape = {.h = height, .w = width},
                                          .filter = {.id = id},
                                          .border = border,
                                          .border_const = 0.25,
                                          .precision = precision};
                    ASSERT_EQ(plan_of(desc).tilings.empty(), id == 5 && border == Border::constant);
                    const auto x = random_plane(count_of(desc.shape), 13);
                    const auto expected = run_reference(desc, x);
                    for (const bool large : {false, true}) {
                        const iir::GpuWays ways{.large_tiles = large};
                        const auto apart = run_gpu(desc, x, {.seed = 3, .ways = ways});
                        EXPECT_LE(max_abs_difference(apart.y, expected), stated_bound(desc))
                            << describe(desc) << (large ? " in large tiles" : "");
                        const auto in_place = run_gpu(desc, x, {.seed = 4, .in_place = true, .ways = ways});
                        EXPECT_TRUE(same_bits(apart.y, in_place.y)) << describe(desc);
                    }
                }
            }
        }
    }
}

// In the first tile, in one between and at a tile's edges: what it reaches in other tiles comes by carries
// alone.
TEST(GpuRun, NonFiniteSamplesReachThroughTiles) {
    for (const int id : {1, 2, 3, 4, 5}) {
        for (const auto& [column, row] : {std::pair{3, 1}, std::pair{127, 127}, std::pair{128, 64}}) {
            const FilterDesc desc{.shape = {.h = 400, .w = 300}, .filter = {.id = id}};
            ASSERT_FALSE(plan_of(desc).tilings.empty());
            auto x = random_plane(count_of(desc.shape), 14);
            x[static_cast<std::size_t>(row * 300 + column)] = std::numeric_limits<double>::infinity();
            const auto expected = run_reference(desc, x);
            for (const bool large : {false, true}) {
                const auto outcome = run_gpu(desc, x, {.seed = 8, .ways = {.large_tiles = large}});
                std::size_t different = 0;
                for (std::size_t i = 0; i < x.size(); ++i)
                    different += std::isfinite(expected[i]) != std::isfinite(outcome.y[i]) ? 1 : 0;
                EXPECT_EQ(different, 0U) << describe(desc) << " at " << column << ", " << row;
            }
        }
    }
}

// Of a cascade longer than a kernel takes: cut into passes, and into launches where those are unlike.
TEST(GpuRun, CascadesOfAnyLengthAreCut) {
    const FilterDesc desc{.shape = {.h = 40, .w = 70}};
    FilterData data = *make_filter(desc.filter);
    auto& sections = data.horizontal.stages[0].sections;
    sections.resize(5, sections[0]);
    const auto plan = iir::make_gpu_filter(desc, data);
    ASSERT_EQ(plan.stages.size(), 3U);
    EXPECT_EQ(plan.stages[0].kernel, "iir_rows_f32_order1_x2");
    EXPECT_EQ(plan.stages[0].axis.pass_count, 2);
    EXPECT_EQ(plan.stages[1].kernel, "iir_rows_f32_order1_x1");
    EXPECT_EQ(plan.stages[1].places[0].in, iir::GpuWhere::y);
}

// 64-bit counts: nothing is run, only laid out.
TEST(GpuRun, HugeShapesAreLaidOutIn64Bits) {
    const FilterDesc desc{.shape = {.n = 1, .c = 1, .h = 1LL << 37, .w = 3}, .filter = {.id = 6}};
    const auto plan = plan_of(desc);
    std::int64_t blocks = 0;
    std::int64_t launches = 0;
    iir::for_each_launch(plan, {64, 3, 3LL << 37}, {64, 3, 3LL << 37}, 64, [&](const iir::GpuLaunch& launch) {
        if (std::string_view(launch.kernel).starts_with("iir_rows")) {
            EXPECT_EQ(static_cast<const iir::GpuAxis*>(launch.parameters)->first_block, blocks);
            blocks += launch.blocks;
            ++launches;
        }
        return true;
    });
    EXPECT_EQ(blocks, (1LL << 37) / 32);
    EXPECT_EQ(launches, 3);
    EXPECT_EQ(plan.workspace_bytes, (std::size_t{3} << 37) * 4);
}

TEST(GpuRun, HugeShapesOfTilesAreLaidOutIn64Bits) {
    const auto plan = plan_of({.shape = {.n = 1, .c = 1, .h = 1LL << 38, .w = 65}});
    std::int64_t blocks = 0;
    std::int64_t launches = 0;
    iir::for_each_launch(
        plan, {64, 65, 65LL << 38}, {64, 65, 65LL << 38}, 64, [&](const iir::GpuLaunch& launch) {
            if (std::string_view(launch.kernel).starts_with("iir_tiles")) {
                EXPECT_EQ(static_cast<const iir::GpuTiles*>(launch.parameters)->first_block, blocks);
                blocks += launch.blocks;
                ++launches;
            }
            return true;
        });
    constexpr std::int64_t tiles = 1LL << 32;  // down
    EXPECT_EQ(blocks, 2 * tiles);
    EXPECT_EQ(launches, 5);
    EXPECT_EQ(plan.workspace_bytes, static_cast<std::size_t>(4 * (72 * tiles + 128 * (tiles - 1))));
}

// More blocks than the second and third dimension of a grid could count.
TEST(GpuRun, MoreThan65535BlocksOfRowsAndOfColumns) {
    for (const bool wide : {true, false}) {
        const FilterDesc desc{.shape = {.h = wide ? 1 : 2100001, .w = wide ? 2100001 : 1}};
        const auto x = random_plane(count_of(desc.shape), 12);
        EXPECT_LE(max_abs_difference(run_gpu(desc, x).y, run_reference(desc, x)), 1e-5);
    }
}

}  // namespace
