// SPDX-License-Identifier: MIT
// The kernels of the parameters' gradient, run by the executor, against the reference's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/iir/cuda_backward.h"
#include "kernels/iir/gpu_gradient_plan.h"
#include "kernels/support/view.h"
#include "tests/gpu/iir/gpu_iir_testing.h"
#include "tests/kernels/iir/gradient_testing.h"
#include "tests/kernels/iir/random_filter.h"

namespace {

using namespace gpu_iir_test;

// All planes at once.
std::vector<double> gradient(const FilterDesc& desc, const std::vector<double>& x,
                             const std::vector<double>& dy, std::uint64_t seed = 0) {
    const auto plan = iir::make_gpu_gradient(desc, *make_filter(desc.filter));
    if (!plan) throw std::runtime_error(plan.error().message);
    const auto planes = static_cast<std::size_t>(plan->planes());
    const auto count = static_cast<std::size_t>(plan->parameters);
    // All bits set, a NaN: what is read before it is written shows.
    std::vector<double> workspace(plan->workspace_bytes() / sizeof(double));
    std::memset(workspace.data(), 0xff, plan->workspace_bytes());
    const auto buffer = static_cast<std::ptrdiff_t>(plan->buffer_bytes() / sizeof(double));
    std::ranges::copy(x, workspace.begin() + iir::GpuGradient::x * buffer);
    std::ranges::copy(dy, workspace.begin() + iir::GpuGradient::dy * buffer);
    std::vector<double> of_planes(planes * count, -1.0);
    std::vector<double> dp(count, -1.0);
    const auto launch = [&](const iir::GpuLaunch& one) {
        run_product_kernel(one.kernel, {{one.blocks, 1, 1}, {one.threads, 1, 1}, one.shared_bytes},
                           one.parameters, {.seed = seed});
        return true;
    };
    const auto address = [](std::vector<double>& v) { return reinterpret_cast<std::uintptr_t>(v.data()); };
    iir::for_each_launch(*plan, address(workspace), address(of_planes), launch);
    iir::launch_sum(address(of_planes), plan->planes(), plan->parameters, address(dp), launch);
    return dp;
}

// Within the contract's bound of f64, and what rounding adds relative to norm(dy) norm(x) where a filter
// hardly changes with its parameter.
void expect_gradient(const FilterDesc& desc, unsigned seed, double rounding = 1e-14) {
    const GradientCase c(desc, seed);
    const auto dp = gradient(desc, c.x, c.dy, seed);
    ASSERT_EQ(dp.size(), c.expected.size());
    for (std::size_t k = 0; k < dp.size(); ++k) {
        EXPECT_NEAR(dp[k], c.expected[k], 1e-10 * c.scales[k] + rounding * c.rounding)
            << describe(desc) << " " << filter_row(desc.filter.id)->parameters[k].name;
    }
}

using Size = std::pair<std::int64_t, std::int64_t>;  // height, width

class GpuGradient : public ::testing::TestWithParam<std::tuple<int, Size>> {};

TEST_P(GpuGradient, IsTheReferencesInEveryMode) {
    const auto [id, size] = GetParam();
    for_each_mode(id, size.first, size.second,
                  [id = id](const FilterDesc& desc) { expect_gradient(desc, static_cast<unsigned>(id)); });
}

INSTANTIATE_TEST_SUITE_P(Sizes, GpuGradient,
                         ::testing::Combine(::testing::Range(1, 10),
                                            ::testing::Values(Size{1, 1}, Size{1, 7}, Size{7, 1}, Size{2, 3},
                                                              Size{5, 6}, Size{17, 23}, Size{33, 65},
                                                              Size{67, 131}, Size{300, 5})));

TEST(GpuGradientOf, RandomFiltersIsTheReferences) {
    Random random(26);
    for (int i = 0; i < 60; ++i) {
        auto [filter, spec] = random_filter(random);
        spec.normalise_gain = random.coin() && std::abs(dc_gain(make_filter(spec)->horizontal)) > 0.05;
        SCOPED_TRACE(i);
        expect_gradient(
            {.shape = {.n = random.integer(1, 2), .h = random.integer(1, 60), .w = random.integer(1, 60)},
             .filter = spec,
             .border = static_cast<Border>(random.integer(0, 3)),
             .border_const = random.real(0, 1),
             .start = static_cast<Start>(random.integer(0, 1))},
            static_cast<unsigned>(i), 1e-12);
    }
}

TEST(GpuGradientOf, ParametersAtTheEndsOfTheirRangesIsTheReferences) {
    const std::pair<int, std::pair<const char*, double>> cases[] = {
        {1, {"alpha", 0.999}}, {1, {"alpha", 0.0}},  {2, {"a", 0.999}},    {5, {"alpha", 0.999}},
        {6, {"sigma", 0.3}},   {6, {"sigma", 25.0}}, {6, {"sigma", 100.0}}};
    for (const auto& [id, parameter] : cases) {
        for (const auto [border, start] : all_modes) {
            SCOPED_TRACE(parameter.second);
            expect_gradient({.shape = {.h = 150, .w = 140},
                             .filter = {.id = id, .parameters = {parameter}},
                             .border = border,
                             .border_const = 0.5,
                             .start = start},
                            5, 5e-14);  // sigma 100 in 140 samples: the output hardly changes
        }
    }
}

TEST(GpuGradientOf, EverySeedHasTheSameBits) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Start start : all_starts) {
            const FilterDesc desc{.shape = {.n = 3, .h = 70, .w = 131}, .filter = {.id = id}, .start = start};
            const auto x = random_plane(count_of(desc.shape), 1);
            const auto dy = random_plane(count_of(desc.shape), 2);
            const auto first = gradient(desc, x, dy);
            EXPECT_EQ(first, gradient(desc, x, dy, 7)) << describe(desc);
            // Plane by plane, as more planes than are at work at once are.
            FilterDesc one = desc;
            one.shape.n = 1;
            std::vector<double> sum(first.size());
            for (std::ptrdiff_t p = 0; p < 3; ++p) {
                const auto plane = [p](const std::vector<double>& all) {
                    return std::vector<double>(all.begin() + p * 70 * 131, all.begin() + (p + 1) * 70 * 131);
                };
                const auto dp = gradient(one, plane(x), plane(dy));
                for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += dp[k];
            }
            EXPECT_EQ(first, sum) << describe(desc);
        }
    }
}

// A whole job on float planes as the C interface enqueues it: `most` elements share a launch.
std::vector<double> gradient_of_job(const FilterDesc& desc, const iir::Filters& filters,
                                    const std::vector<FilterSpec>& specs, std::vector<float> x,
                                    std::vector<float> dy, std::int64_t most, std::int64_t planes_at_once) {
    const auto job = iir::make_gpu_gradient_job(desc, filters, specs, most);
    if (!job) throw std::runtime_error(job.error().message);
    EXPECT_EQ(job->first.planes(), planes_at_once);
    std::vector<double> workspace(job->workspace_bytes / sizeof(double));
    std::memset(workspace.data(), 0xff, job->workspace_bytes);
    std::vector<double> dp(job->values(), -1.0);
    const auto launch = [](const cuda::Launch& one) -> Result<void> {
        run_product_kernel(one.kernel,
                           {{one.grid[0], one.grid[1], one.grid[2]},
                            {one.block[0], one.block[1], one.block[2]},
                            one.shared_bytes},
                           one.parameters, {});
        return {};
    };
    const auto address = [](auto& v) { return reinterpret_cast<std::uintptr_t>(v.data()); };
    const auto done =
        iir::enqueue_gradient(*job, support::dense_view(address(x), ElementType::f32, desc.shape),
                              support::dense_view(address(dy), ElementType::f32, desc.shape), address(dp),
                              address(workspace), launch);
    EXPECT_TRUE(done);
    return dp;
}

TEST(GpuGradientOf, PlanesThatDoNotShareALaunchHasTheSameBits) {
    const FilterDesc desc{.shape = {.n = 2, .c = 3, .h = 9, .w = 13}, .filter = {.id = 4}};
    const auto plane_of = [&](unsigned seed) {
        const auto plane = random_plane(count_of(desc.shape), seed);
        return std::vector<float>(plane.begin(), plane.end());
    };
    const auto x = plane_of(1);
    const auto dy = plane_of(2);
    const iir::Filters filters{*make_filter(desc.filter)};
    const auto all = gradient_of_job(desc, filters, {}, x, dy, iir::elements_at_once, 6);
    EXPECT_EQ(gradient_of_job(desc, filters, {}, x, dy, 6 * 9 * 13, 6), all);
    EXPECT_EQ(gradient_of_job(desc, filters, {}, x, dy, 5 * 9 * 13, 3), all);
    EXPECT_EQ(gradient_of_job(desc, filters, {}, x, dy, 2 * 9 * 13, 1), all);
    EXPECT_EQ(gradient_of_job(desc, filters, {}, x, dy, 1, 1), all);
}

TEST(GpuGradientOf, PlanesWithAFilterEachIsThatOfEachAlone) {
    FilterDesc desc{.shape = {.c = 3, .h = 9, .w = 13}, .filter = {.id = 6}};
    const auto plane = random_plane(count_of(desc.shape), 1);
    const std::vector<float> x(plane.begin(), plane.end());
    const std::vector<FilterSpec> specs{{.id = 6},
                                        {.id = 6, .parameters = {{"sigma", 3.0}, {"compat_1_0", 1.0}}},
                                        {.id = 6, .parameters = {{"sigma", 0.5}}}};
    iir::Filters filters;
    for (const FilterSpec& spec : specs) filters.push_back(*make_filter(spec));
    const auto together = gradient_of_job(desc, filters, specs, x, x, iir::elements_at_once, 1);
    ASSERT_EQ(together.size(), 6U);
    desc.shape.c = 1;
    for (std::size_t p = 0; p < 3; ++p) {
        desc.filter = specs[p];
        const auto from = x.begin() + static_cast<std::ptrdiff_t>(p) * 9 * 13;
        const std::vector<float> one(from, from + 9 * 13);
        const auto alone = gradient_of_job(desc, {filters[p]}, {}, one, one, iir::elements_at_once, 1);
        EXPECT_EQ(alone, (std::vector<double>{together[2 * p], together[2 * p + 1]})) << p;
    }
}

// What docs/gpu-kernels.md says of launches and memory.
TEST(GpuGradientOf, LaunchesAndBuffersAreCounted) {
    const int launches[] = {10, 20, 10, 20, 20, 21, 10, 10};
    const int buffers[] = {6, 7, 6, 7, 7, 7, 6, 6};
    for (int id = 1; id <= std::ssize(buffers); ++id) {
        const FilterDesc desc{.shape = {.h = 256, .w = 256}, .filter = {.id = id}};
        const auto plan = iir::make_gpu_gradient(desc, *make_filter(desc.filter));
        ASSERT_TRUE(plan);
        int count = 0;
        iir::for_each_launch(*plan, 64, 64, [&](const iir::GpuLaunch&) {
            ++count;
            return true;
        });
        EXPECT_EQ(count, launches[id - 1]) << id;
        EXPECT_EQ(plan->buffers, buffers[id - 1]) << id;
    }
}

}  // namespace
