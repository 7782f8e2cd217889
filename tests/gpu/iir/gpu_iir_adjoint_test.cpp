// SPDX-License-Identifier: MIT
// The adjoint's kernels, run by the executor: the transposed reference over the whole contract, dot products
// with the filter's own kernels, any filter data, and what the launches must keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/gpu/iir/gpu_iir_testing.h"
#include "tests/kernels/iir/adjoint_testing.h"
#include "tests/kernels/iir/random_filter.h"

namespace {

using namespace gpu_iir_test;

std::vector<double> reference_adjoint(const FilterDesc& desc, const std::vector<double>& dy) {
    return iir_test::reference_adjoint(desc, iir::filters_of(desc)->front(), dy);
}

// The dot product, and the reference within the forward's bound times max(1, max|A^T dy|).
void expect_adjoint(FilterDesc desc, unsigned seed) {
    auto x = random_plane(count_of(desc.shape), seed);
    for (double& v : x) v = static_cast<float>(v - 0.5);
    const auto dy = random_plane(count_of(desc.shape), seed + 1);
    const auto expected = reference_adjoint(desc, dy);
    for (const Precision precision : all_precisions) {
        desc.precision = precision;
        const auto dx = run_gpu(desc, dy, {.seed = 1, .adjoint = true}).y;
        EXPECT_LE(max_abs_difference(dx, expected),
                  *iir::guarantee_of(desc, *iir::filters_of(desc)).max_abs_error * largest(expected))
            << describe(desc);
        const double difference = std::abs(dot(run_gpu(desc, x, {.seed = 2}).y, dy) - dot(x, dx));
        EXPECT_LE(difference, tolerance(precision) * std::sqrt(dot(x, x) * dot(dx, dx))) << describe(desc);
    }
}

using Size = std::pair<std::int64_t, std::int64_t>;  // height, width

class GpuAdjoint : public ::testing::TestWithParam<std::tuple<int, Size>> {};

TEST_P(GpuAdjoint, TransposesTheFilterInEveryMode) {
    const auto [id, size] = GetParam();
    for (const auto [border, start] : all_modes) {
        for (const bool normalise : {false, true}) {
            FilterDesc desc{.shape = {.h = size.first, .w = size.second},
                            .filter = {.id = std::min(id, 8), .normalise_gain = normalise},
                            .border = border,
                            .start = start};
            if (id == 9) desc.filter = {.id = 6, .parameters = {{"compat_1_0", 1.0}}};
            if (normalise && size.first * size.second > 5000) continue;
            expect_adjoint(desc, static_cast<unsigned>(id));
        }
    }
}

// Fewer samples than a border reads, one segment, segments that carry and that warm up, in each direction.
INSTANTIATE_TEST_SUITE_P(Sizes, GpuAdjoint,
                         ::testing::Combine(::testing::Range(1, 10),
                                            ::testing::Values(Size{1, 1}, Size{1, 7}, Size{7, 1}, Size{2, 3},
                                                              Size{16, 32}, Size{33, 65}, Size{67, 131},
                                                              Size{300, 20}, Size{20, 700})));

TEST(GpuAdjointOf, EverySeedHasTheSameBitsApartAndInPlace) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            const FilterDesc desc{
                .shape = {.n = 2, .h = 70, .w = 131}, .filter = {.id = id}, .border = border, .start = start};
            const auto dy = random_plane(count_of(desc.shape), 4);
            const auto first = run_gpu(desc, dy, {.adjoint = true});
            for (const bool in_place : {true, false}) {
                const auto again = run_gpu(desc, dy,
                                           {.seed = in_place ? 7U : 8U,
                                            .in_place = in_place,
                                            .adjoint = true,
                                            .row_gap = 3,
                                            .plane_gap = 11});
                EXPECT_TRUE(same_bits(first.y, again.y)) << describe(desc);
                EXPECT_FALSE(again.wrote_in_a_gap) << describe(desc);
            }
        }
    }
}

TEST(GpuAdjointOf, RandomFiltersIsTransposed) {
    Random random(24);
    for (int i = 0; i < 120; ++i) {
        const auto [filter, spec] = random_filter(random);
        SCOPED_TRACE(i);
        expect_adjoint(
            {.shape = {.n = random.integer(1, 2), .h = random_size(random), .w = random_size(random)},
             .filter = spec,
             .border = static_cast<Border>(random.integer(0, 3)),
             .start = static_cast<Start>(random.integer(0, 1))},
            static_cast<unsigned>(i));
    }
}

TEST(GpuAdjointOf, ParametersAtTheEndsOfTheirRangesIsTransposed) {
    const std::pair<int, std::pair<const char*, double>> cases[] = {
        {1, {"alpha", 0.999}}, {1, {"alpha", 0.0}},  {2, {"a", 0.999}},     {5, {"alpha", 0.999}},
        {6, {"sigma", 0.3}},   {6, {"sigma", 25.0}}, {6, {"sigma", 100.0}}, {2, {"a", 0.0}}};
    for (const auto& [id, parameter] : cases) {
        for (const auto [border, start] : all_modes) {
            for (const auto& [h, w] : {Size{4, 3}, Size{211, 190}}) {
                SCOPED_TRACE(parameter.second);
                expect_adjoint({.shape = {.h = h, .w = w},
                                .filter = {.id = id, .parameters = {parameter}},
                                .border = border,
                                .start = start},
                               9);
            }
        }
    }
}

Section section(int order, std::array<double, 3> b, std::array<double, 2> a) {
    return {.order = order, .b = b, .a = a, .start_b = b};
}

// Zeros on poles or beside them, missing taps, taps of the start that are others; alone, in cascades that are
// cut, and in sums.
TEST(GpuAdjointOf, UnusualSectionsIsTransposed) {
    Section late = section(2, {0.0, 0.5, -0.2}, {0.9, -0.3});
    late.start_b = {0.5, -0.2, 0.0};
    const std::vector<Section> unusual = {
        section(2, {1.0, -0.5, -0.2}, {0.5, 0.2}),   section(2, {1.0, -0.9, 0.0}, {0.9, 0.0}),
        section(2, {0.3, -0.15, 0.0}, {1.4, -0.45}), section(2, {0.3, -0.27 + 1e-9, 0.0}, {0.9, 0.0}),
        section(2, {0.2, 0.1, 0.3}, {0.0, -0.5}),    section(1, {0.4, -0.2, 0.0}, {0.5, 0.0}),
        section(1, {0.7, 0.0, 0.0}, {0.0, 0.0}),     section(1, {0.0, 0.7, 0.0}, {0.3, 0.0}),
        section(0, {0.5, 0.0, 0.0}, {0.0, 0.0}),     late};
    const Section plain = section(1, {0.4, 0.0, 0.0}, {0.6, 0.0});
    const Section second = section(2, {0.3, 0.2, 0.1}, {0.5, -0.2});
    for (const Section& s : unusual) {
        const AxisFilter one{{{.sections = {s}}}};
        const AxisFilter back{{{.kind = Stage::Kind::anticausal, .sections = {s}}}};
        const AxisFilter with_others{{{.sections = {plain, s, second}}}};
        const AxisFilter in_sum{{{.kind = Stage::Kind::sum, .causal = {plain, s}, .anticausal = {s}}}};
        for (const auto [border, start] : all_modes) {
            for (const auto& [h, w] : {Size{2, 3}, Size{40, 97}}) {
                FilterDesc desc{.shape = {.h = h, .w = w}, .border = border, .start = start};
                for (const FilterData& data : {FilterData{one, back}, FilterData{with_others, in_sum}}) {
                    desc.data = {data};
                    expect_adjoint(desc, 3);
                }
            }
        }
    }
}

// A NaN or an infinity reaches what it reaches in the reference; also far behind a warm-up.
TEST(GpuAdjointOf, NonFiniteGradientsReachesTheSameSamplesAsTheReference) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            for (const std::size_t bad : {std::size_t{2 * 4000 + 700}, std::size_t{0}, std::size_t{19'999}}) {
                const FilterDesc desc{
                    .shape = {.h = 5, .w = 4000}, .filter = {.id = id}, .border = border, .start = start};
                auto dy = random_plane(count_of(desc.shape), 10);
                dy[bad] = bad == 0 ? std::numeric_limits<double>::infinity()
                                   : std::numeric_limits<double>::quiet_NaN();
                const auto expected = reference_adjoint(desc, dy);
                const auto dx = run_gpu(desc, dy, {.seed = 8, .adjoint = true}).y;
                std::size_t different = 0;
                for (std::size_t i = 0; i < dx.size(); ++i)
                    different += std::isfinite(expected[i]) != std::isfinite(dx[i]) ? 1 : 0;
                EXPECT_EQ(different, 0U) << describe(desc) << " " << bad;
            }
        }
    }
}

// As the filter itself where it does not go in tiles: what the adjoint costs more is its ends.
TEST(GpuAdjointOf, EveryFilterIsTwoLaunchesAndOnlySumsNeedAWorkspace) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            const FilterDesc desc{
                .shape = {.h = 1024, .w = 1024}, .filter = {.id = id}, .border = border, .start = start};
            const auto data = *make_filter(desc.filter);
            const auto plan = iir::make_gpu_adjoint(desc, data);
            const auto forward = iir::make_gpu_filter(desc, data);
            ASSERT_EQ(plan.stages.size(), 2U) << describe(desc);
            EXPECT_EQ(plan.workspace_bytes, id == 6 ? 4U * 1024 * 1024 : 0U) << describe(desc);
            EXPECT_TRUE(plan.stages[0].kernel.starts_with("iir_columns_adjoint_f32"));
            if (!forward.tilings.empty()) continue;
            for (const std::size_t i : {0U, 1U})
                EXPECT_EQ(plan.stages[i].axis.pass_count, forward.stages[1 - i].axis.pass_count);
        }
    }
}

}  // namespace
