// SPDX-License-Identifier: MIT
// The PTX of conversions and of the gradient of filters' parameters: the bits of their source, and nothing
// found.
#include <cstdio>
#include <limits>

#include "kernels/convert/cuda.h"
#include "kernels/convert/gpu_convert.h"
#include "kernels/iir/gpu_gradient_plan.h"
#include "tests/gpu/ptx/ptx_launcher.h"
#include "tests/kernels/iir/gradient_testing.h"

namespace ptx_kernels_test {
namespace {

// Every bit pattern of a type of 16 bits; of the others signs, exponents and fractions that round either way.
template <class T>
std::vector<T> bit_patterns() {
    std::vector<T> values;
    for (std::uint64_t i = 0; i < 65536; ++i) {
        std::uint64_t bits = i;
        if constexpr (sizeof(T) == 4) bits = i << 16U | (i * 40503U >> 3U & 0xffffU & (0U - (i & 1U)));
        if constexpr (sizeof(T) == 8) bits = i << 48U | (i * 0x9E3779B97F4A7C15U >> 16U & (0U - (i & 1U)));
        T value;
        std::memcpy(&value, &bits, sizeof value);
        values.push_back(value);
    }
    return values;
}

template <class T>
bool is_same(const T& a, const T& b) {
    const auto p = element::load<double>(a);
    const auto q = element::load<double>(b);
    return (std::isnan(p) && std::isnan(q)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class From, class To>
void compare_planes(ElementType from, ElementType to, std::set<std::string>& kernels) {
    constexpr std::int64_t row = 263;
    const Shape shape{.n = 2, .c = 2, .h = 64, .w = row - 3};  // three elements behind each row are nobody's
    const std::vector<From> patterns = bit_patterns<From>();
    std::vector<From> x(static_cast<std::size_t>(shape.n * shape.c * shape.h * row));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_of(shape)); ++i)
        x[i / (row - 3) * row + i % (row - 3)] = patterns[i % patterns.size()];
    std::vector<To> made[2];
    for (const By by : {By::source, By::text}) {
        std::vector<To>& y = made[by == By::text ? 1 : 0];
        y.resize(x.size());
        Launcher launcher(by, 7);
        launcher.give(x);
        launcher.give(y, false);
        const auto done =
            convert::enqueue_planes({x.data(), from, shape, row, shape.h * row, shape.c * shape.h * row},
                                    {y.data(), to, shape, row, shape.h * row, shape.c * shape.h * row},
                                    [&](const cuda::Launch& launch) -> Result<void> {
                                        launcher.launch(launch.kernel, launch.grid[0], launch.block[0],
                                                        launch.shared_bytes, launch.parameters);
                                        return {};
                                    });
        ASSERT_TRUE(done);
        kernels.insert(launcher.kernels_run().begin(), launcher.kernels_run().end());
    }
    EXPECT_TRUE(std::ranges::equal(made[0], made[1], is_same<To>)) << name_of(from) << " to " << name_of(to);
}

template <class From, class To>
void compare_dense(const char* kernel, std::set<std::string>& kernels) {
    std::vector<From> x = bit_patterns<From>();
    x.resize(65536 - 77);  // the last block is not full
    std::vector<To> made[2];
    for (const By by : {By::source, By::text}) {
        std::vector<To>& y = made[by == By::text ? 1 : 0];
        y.resize(x.size());
        Launcher launcher(by, 0);
        const convert::GpuConvert job{launcher.give(x), launcher.give(y, false),
                                      static_cast<std::int64_t>(x.size())};
        launcher.launch(kernel, 32, convert::threads, 0, &job);
        kernels.insert(kernel);
    }
    EXPECT_TRUE(std::ranges::equal(made[0], made[1], is_same<To>)) << kernel;
}

TEST(PtxKernelsConvert, GiveTheBitsOfTheirSourceAndNothingIsFound) {
    std::set<std::string> kernels;
    using enum ElementType;
    compare_planes<Float16, float>(f16, f32, kernels);
    compare_planes<BFloat16, float>(bf16, f32, kernels);
    compare_planes<Float16, double>(f16, f64, kernels);
    compare_planes<BFloat16, double>(bf16, f64, kernels);
    compare_planes<float, double>(f32, f64, kernels);
    compare_planes<double, double>(f64, f64, kernels);
    compare_planes<float, Float16>(f32, f16, kernels);
    compare_planes<float, BFloat16>(f32, bf16, kernels);
    compare_dense<float, double>("convert_f32_f64", kernels);
    compare_dense<double, float>("convert_f64_f32", kernels);
    EXPECT_EQ(kernels, kernels_named("convert_"));
}

// The gradients of the planes and their sum, one after the other.
std::vector<double> gradient_by(By by, const FilterDesc& desc, std::set<std::string>& kernels) {
    const auto plan = iir::make_gpu_gradient(desc, *make_filter(desc.filter));
    if (!plan) throw std::runtime_error(plan.error().message);
    const auto planes = static_cast<std::size_t>(plan->planes());
    const auto count = static_cast<std::size_t>(plan->parameters);
    const auto elements = static_cast<std::size_t>(count_of(desc.shape));
    const auto x = random_plane(count_of(desc.shape), 3);
    const auto dy = random_plane(count_of(desc.shape), 4);
    std::vector<double> workspace(plan->workspace_bytes() / sizeof(double),
                                  std::numeric_limits<double>::quiet_NaN());
    std::vector<double> of_planes(planes * count, -1.0);
    std::vector<double> dp(count, -1.0);
    Launcher launcher(by, 5);
    const std::uint64_t held = launcher.give(workspace, false);
    for (const auto& [values, buffer] :
         {std::pair{&x, iir::GpuGradient::x}, std::pair{&dy, iir::GpuGradient::dy}}) {
        const std::size_t at = static_cast<std::size_t>(buffer) * plan->buffer_bytes();
        std::ranges::copy(*values, workspace.begin() + static_cast<std::ptrdiff_t>(at / sizeof(double)));
        launcher.mark_written(held + at, elements * sizeof(double));
    }
    const std::uint64_t gradients = launcher.give(of_planes, false);
    const auto run = [&](const iir::GpuLaunch& launch) {
        return launcher.launch(launch.kernel, launch.blocks, launch.threads, launch.shared_bytes,
                               launch.parameters);
    };
    iir::for_each_launch(*plan, held, gradients, run);
    iir::launch_sum(gradients, plan->planes(), plan->parameters, launcher.give(dp, false), run);
    kernels.insert(launcher.kernels_run().begin(), launcher.kernels_run().end());
    of_planes.insert(of_planes.end(), dp.begin(), dp.end());
    return of_planes;
}

class PtxKernelsGradient : public ::testing::TestWithParam<int> {};

TEST_P(PtxKernelsGradient, GivesTheBitsOfItsSourceAndNothingIsFound) {
    std::set<std::string> kernels;
    int cases = 0;
    for (const auto& [height, width] : {std::pair{1, 1}, std::pair{5, 6}, std::pair{67, 41}}) {
        for_each_mode(GetParam(), height, width, [&](FilterDesc desc) {
            desc.shape.n = height == 5 ? 2 : 1;
            ++cases;
            EXPECT_TRUE(
                same_bits(gradient_by(By::source, desc, kernels), gradient_by(By::text, desc, kernels)))
                << describe(desc);
        });
    }
    std::printf("%d cases\n", cases);
    for (const std::string& kernel : kernels_named("iir_gradient_"))
        EXPECT_TRUE(kernels.contains(kernel)) << kernel;
}
INSTANTIATE_TEST_SUITE_P(Filters, PtxKernelsGradient, ::testing::Range(1, 10));

}  // namespace
}  // namespace ptx_kernels_test
