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
        for (const Border border : all_borders) {
            for (const Start start : all_starts) {
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
}

// Lines so long that the plan warms up instead of carrying, in every precision.
TEST(GpuRun, LongLinesWarmUp) {
    int warmed_passes = 0;
    for (int id = 1; id <= 8; ++id) {
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
    for (const int id : {1, 4, 6}) {
        for (const Precision precision : all_precisions) {
            const FilterDesc many{
                .shape = {.n = 2, .c = 3, .h = 37, .w = 41}, .filter = {.id = id}, .precision = precision};
            const auto x = random_plane(count_of(many.shape), 9);
            const auto dense = run_gpu(many, x, {.seed = 6});
            for (const bool in_place : {true, false}) {
                const auto apart =
                    run_gpu(many, x, {.seed = 7, .in_place = in_place, .row_gap = 3, .plane_gap = 11});
                EXPECT_TRUE(same_bits(dense.y, apart.y)) << describe(many);
                EXPECT_FALSE(apart.wrote_in_a_gap) << describe(many);
            }
            FilterDesc one = many;
            one.shape = {.h = 37, .w = 41};
            const std::ptrdiff_t size = 37 * 41;
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
    for (int id = 1; id <= 8; ++id) {
        for (const Border border : all_borders) {
            for (const Start start : all_starts) {
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

TEST(GpuRun, EveryFilterIsTwoLaunchesAndOnlySumsNeedAWorkspace) {
    for (int id = 1; id <= 8; ++id) {
        for (const Border border : all_borders) {
            for (const Start start : all_starts) {
                const FilterDesc desc{
                    .shape = {.h = 1024, .w = 1024}, .filter = {.id = id}, .border = border, .start = start};
                const auto plan = plan_of(desc);
                EXPECT_EQ(plan.stages.size(), 2U) << describe(desc);
                EXPECT_EQ(plan.workspace_bytes, id == 6 ? 4U * 1024 * 1024 : 0U) << describe(desc);
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

// More blocks than the second and third dimension of a grid could count.
TEST(GpuRun, MoreThan65535BlocksOfRowsAndOfColumns) {
    for (const bool wide : {true, false}) {
        const FilterDesc desc{.shape = {.h = wide ? 1 : 2100001, .w = wide ? 2100001 : 1}};
        const auto x = random_plane(count_of(desc.shape), 12);
        EXPECT_LE(max_abs_difference(run_gpu(desc, x).y, run_reference(desc, x)), 1e-5);
    }
}

}  // namespace
