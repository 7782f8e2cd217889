// SPDX-License-Identifier: MIT
// The CPU's gradient of the parameters against the reference's, and the same bits for every number of
// threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <vector>

#if defined(__linux__)
#include <unistd.h>
#endif

#include "kernels/iir/adjoint.h"
#include "kernels/iir/analysis.h"
#include "tests/kernels/iir/gradient_testing.h"
#include "tests/kernels/iir/iir_testing.h"
#include "tests/kernels/iir/random_filter.h"

namespace {

using namespace iir2d;
using namespace iir_test;

std::vector<double> gradient(const FilterDesc& desc, const std::vector<double>& x,
                             const std::vector<double>& dy, int threads = 2) {
    const auto data = make_filter(desc.filter);
    std::vector<double> dp(filter_row(desc.filter.id)->parameters.size(), -1.0);
    const auto run = [&]<class S>(S) {
        const std::vector<S> in(x.begin(), x.end());
        const std::vector<S> g(dy.begin(), dy.end());
        const ElementType type = storage_type(desc.precision);
        const Shape& s = desc.shape;
        const auto done =
            iir::gradient_cpu(desc, *data, {in.data(), type, s, s.w, s.w * s.h, s.c * s.w * s.h},
                              {g.data(), type, s, s.w, s.w * s.h, s.c * s.w * s.h}, dp, threads, {});
        EXPECT_TRUE(done) << done.error().message;
    };
    if (desc.precision == Precision::f64) {
        run(double{});
    } else {
        run(float{});
    }
    return dp;
}

// What rounding adds, relative to norm(dy) norm(x), where a filter hardly changes with its parameter: of
// double arithmetic, and of what is stored as float.
struct Rounding {
    double of_double = 0.0;
    double of_float = 0.0;
};

void expect_gradient(FilterDesc desc, unsigned seed, Rounding rounding) {
    const GradientCase c(desc, seed);
    for (std::size_t k = 0; k < c.expected.size(); ++k) {
        for (const Precision precision : all_precisions) {
            FilterDesc as_stored = desc;
            as_stored.precision = precision;
            const bool in_double = precision == Precision::f64;
            const double bound = (in_double ? 1e-10 : 1e-4) * c.scales[k] +
                                 (in_double ? rounding.of_double : rounding.of_float) * c.rounding;
            EXPECT_NEAR(gradient(as_stored, c.x, c.dy)[k], c.expected[k], bound)
                << describe(as_stored) << " " << filter_row(desc.filter.id)->parameters[k].name;
        }
    }
}

using Size = std::pair<std::int64_t, std::int64_t>;  // height, width

class CpuGradient : public ::testing::TestWithParam<std::tuple<int, Size>> {};

TEST_P(CpuGradient, IsTheReferencesInEveryMode) {
    const auto [id, size] = GetParam();
    // One sample alone is all that is outside too, and some gradients are exactly 0.
    const Rounding rounding{1e-14, size.first * size.second == 1 ? 5e-7 : 0.0};
    for_each_mode(id, size.first, size.second, [&, id = id](const FilterDesc& desc) {
        expect_gradient(desc, static_cast<unsigned>(id), rounding);
    });
}

INSTANTIATE_TEST_SUITE_P(Sizes, CpuGradient,
                         ::testing::Combine(::testing::Range(1, 10),
                                            ::testing::Values(Size{1, 1}, Size{1, 7}, Size{7, 1}, Size{2, 3},
                                                              Size{5, 6}, Size{17, 23}, Size{40, 33},
                                                              Size{48, 9}, Size{70, 67})));

// Of random filters in random modes, on planes of the shapes that shape_of(random, index) gives.
void expect_random_gradients(unsigned seed, int count, const auto& shape_of) {
    Random random(seed);
    for (int i = 0; i < count; ++i) {
        auto [filter, spec] = random_filter(random);
        spec.normalise_gain = random.coin() && std::abs(dc_gain(make_filter(spec)->horizontal)) > 0.05;
        SCOPED_TRACE(i);
        expect_gradient({.shape = shape_of(random, i),
                         .filter = spec,
                         .border = static_cast<Border>(random.integer(0, 3)),
                         .border_const = random.real(0, 1),
                         .start = static_cast<Start>(random.integer(0, 1))},
                        static_cast<unsigned>(i), {1e-12, 1e-12});
    }
}

TEST(CpuGradientOf, RandomFiltersIsTheReferences) {
    expect_random_gradients(26, 100, [](Random& random, int) {
        return Shape{.n = random.integer(1, 2), .h = random.integer(1, 60), .w = random.integer(1, 60)};
    });
}

// Causal columns of 48 samples and more are swept band by band, of which the last need not be whole.
TEST(CpuGradientOf, LongColumnsIsTheReferences) {
    expect_random_gradients(27, 120, [](Random& random, int i) {
        return Shape{.h = i % 10 == 0 ? 48 : random.integer(40, 130), .w = random.integer(1, 150)};
    });
}

TEST(CpuGradientOf, WideBandsIsTheReferences) {
    for (const int id : {1, 2, 3, 4}) {
        for (const std::int64_t width : {64, 257, 530}) {
            expect_gradient({.shape = {.h = 51, .w = width}, .filter = {.id = id}, .border = Border::clamp},
                            3, {1e-14, 0.0});
        }
    }
}

TEST(CpuGradientOf, ParametersAtTheEndsOfTheirRangesIsTheReferences) {
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
                            5, {1e-14, 5e-7});
        }
    }
}

// Compares with the reference, for planes that are given.
void expect_within_bounds(const FilterDesc& desc, const std::vector<double>& x,
                          const std::vector<double>& dy) {
    const auto row = filter_row(desc.filter.id);
    std::vector<double> expected(row->parameters.size());
    ASSERT_TRUE(reference::filter_gradient(desc, x, dy, expected));
    const auto found = gradient(desc, x, dy);
    for (std::size_t k = 0; k < expected.size(); ++k) {
        if (row->parameters[k].is_switch) continue;
        EXPECT_NEAR(found[k], expected[k], 1e-4 * norm(dy) * derivative_norm(desc, row->parameters[k], x))
            << describe(desc) << " " << row->parameters[k].name;
    }
}

// Little feedback changes a flat plane near its borders alone, while rounding is the same everywhere.
TEST(CpuGradientOf, FlatPlanesWithLittleFeedbackIsTheReferences) {
    const std::pair<int, std::pair<const char*, double>> cases[] = {
        {1, {"alpha", 0.001}}, {1, {"alpha", 0.02}}, {1, {"alpha", 0.2}},
        {2, {"a", 0.001}},     {2, {"a", 0.2}},      {5, {"alpha", 0.001}},
        {6, {"sigma", 0.6}},   {6, {"sigma", 0.76}}, {6, {"sigma", 0.9}}};
    for (const auto& [id, parameter] : cases) {
        const FilterDesc desc{.shape = {.h = 256, .w = 256}, .filter = {.id = id, .parameters = {parameter}}};
        const std::vector<double> x(256 * 256, static_cast<float>(id == 6 ? 0.9 : 0.7));
        SCOPED_TRACE(parameter.second);
        expect_within_bounds(desc, x, std::vector<double>(256 * 256, 1.0));
    }
}

// Under "normalise gain" several parameters change a section, and none of them a flat plane's interior.
TEST(CpuGradientOf, AFlatPlaneUnderNormalisedTapsIsTheReferences) {
    const FilterDesc desc{.shape = {.h = 256, .w = 256},
                          .filter = {.id = 3,
                                     .parameters = {{"b0", 0.5}, {"b1", 0.2}, {"b2", 0.1}, {"a1", 0.3}},
                                     .normalise_gain = true}};
    expect_within_bounds(desc, std::vector<double>(256 * 256, static_cast<float>(0.7)),
                         std::vector<double>(256 * 256, 1.0));
}

// Products of such samples leave the range of float, and so do their sums.
TEST(CpuGradientOf, LargeAndSmallSamplesIsTheReferences) {
    const std::pair<double, double> cases[] = {{1e19, 1e19},   {1e30, 1e10},   {1e-20, 1e-20},
                                               {1e-30, 1e-10}, {1e-10, 1e-30}, {1e-32, 1e30}};
    for (const int id : {1, 4, 6}) {
        for (const auto& [of_x, of_dy] : cases) {
            const FilterDesc desc{.shape = {.n = 2, .h = 64, .w = 64}, .filter = {.id = id}};
            auto x = random_plane(count_of(desc.shape), 1);
            auto dy = random_plane(count_of(desc.shape), 2);
            for (double& v : x) v = static_cast<float>(v * of_x);
            for (double& v : dy) v = static_cast<float>((v - 0.25) * of_dy);
            SCOPED_TRACE(of_x);
            expect_within_bounds(desc, x, dy);
        }
    }
}

TEST(CpuGradientOf, ASwitchIsZeroWhateverTheSamples) {
    std::vector<double> x = random_plane(64 * 64, 1);
    x[700] = std::numeric_limits<double>::quiet_NaN();
    for_each_mode(6, 64, 64, [&](const FilterDesc& desc) {
        const auto dp = gradient(desc, x, random_plane(64 * 64, 2));
        EXPECT_TRUE(std::isnan(dp[0])) << describe(desc);
        EXPECT_EQ(dp[1], 0.0) << describe(desc);
    });
}

TEST(RecursionGain, EndsAtItsLimit) {
    Section slow;
    slow.a = {1.99998, -0.999985};
    const double gain = iir::recursion_gain_up_to(slow, 64.0);
    EXPECT_GT(gain, 64.0);
    EXPECT_LT(gain, 100.0);
    for (const std::array<double, 2> a : {std::array{0.5, 0.0},
                                          {-0.9, 0.0},
                                          {0.0, 0.6},
                                          {-1.2, -0.36},
                                          {-0.5, 0.3},
                                          {0.4, 0.3},
                                          {0.9, -0.7}}) {
        slow.a = a;
        const double whole = iir::recursion_gain(slow);
        EXPECT_NEAR(iir::recursion_gain_up_to(slow, 64.0), whole, 1e-10 * whole) << a[0] << " " << a[1];
    }
}

TEST(CpuGradientOf, AnyNumberOfThreadsHasTheSameBits) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Shape& shape : {Shape{.h = 270, .w = 300}, Shape{.n = 3, .h = 30, .w = 50}}) {
            const auto x = random_plane(count_of(shape), 1);
            const auto dy = random_plane(count_of(shape), 2);
            for (const Precision precision : all_precisions) {
                for (const Start start : all_starts) {
                    const FilterDesc desc{.shape = shape,
                                          .filter = {.id = id},
                                          .border = start == Start::steady ? Border::clamp : Border::mirror,
                                          .precision = precision,
                                          .start = start};
                    const auto one = gradient(desc, x, dy, 1);
                    EXPECT_EQ(one, gradient(desc, x, dy, 2)) << describe(desc);
                    EXPECT_EQ(one, gradient(desc, x, dy, 7)) << describe(desc);
                }
            }
        }
    }
}

TEST(CpuGradientOf, PlanesOneByOneHasTheSameBits) {
    const FilterDesc desc{.shape = {.n = 2, .c = 2, .h = 30, .w = 41}, .filter = {.id = 4}};
    const auto x = random_plane(count_of(desc.shape), 1);
    const auto dy = random_plane(count_of(desc.shape), 2);
    FilterDesc one = desc;
    one.shape = {.h = 30, .w = 41};
    std::vector<double> sum(10);
    for (std::ptrdiff_t p = 0; p < 4; ++p) {
        const auto plane = [p](const std::vector<double>& all) {
            return std::vector<double>(all.begin() + p * 30 * 41, all.begin() + (p + 1) * 30 * 41);
        };
        const auto dp = gradient(one, plane(x), plane(dy));
        for (std::size_t k = 0; k < 10; ++k) sum[k] += dp[k];
    }
    EXPECT_EQ(gradient(desc, x, dy), sum);
}

TEST(CpuGradientOf, AStoppedRunSaysSo) {
    for (const int id : {1, 6}) {
        const FilterDesc desc{.shape = {.h = 64, .w = 64}, .filter = {.id = id}};
        const std::vector<float> x(64 * 64);
        std::stop_source stop;
        stop.request_stop();
        std::vector<double> dp(filter_row(id)->parameters.size());
        const ConstTensorView view{x.data(), ElementType::f32, desc.shape, 64, 64 * 64};
        const auto done =
            iir::gradient_cpu(desc, *make_filter(desc.filter), view, view, dp, 1, {.stop = stop.get_token()});
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::cancelled);
    }
}

// On one thread: progress comes from the calling thread alone, and another could have done the rest before.
TEST(CpuGradientOf, ARunThatIsStoppedInTheMiddleWritesNothing) {
    for (const int id : {1, 4, 6}) {
        const FilterDesc desc{.shape = {.h = 640, .w = 500}, .filter = {.id = id}};
        const std::vector<float> x(640 * 500, 0.5F);
        std::stop_source stop;
        int calls = 0;
        const RunControl control{.stop = stop.get_token(), .progress = [&](double done) {
                                     if (++calls == 2) stop.request_stop();
                                     EXPECT_LT(done, 1.0);
                                 }};
        std::vector<double> dp(filter_row(id)->parameters.size(), -9.0);
        const ConstTensorView view{x.data(), ElementType::f32, desc.shape, 500, 640 * 500};
        const auto done = iir::gradient_cpu(desc, *make_filter(desc.filter), view, view, dp, 1, control);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::cancelled);
        EXPECT_EQ(dp, std::vector<double>(dp.size(), -9.0));
    }
}

#if defined(__linux__)
// Bytes of memory that the process has pages for.
std::int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    file >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

// The first band of rows lies in every page of a copy of the plane by strips of columns: whoever stops the
// run would wait for the system to give all of them.
TEST(CpuGradientOf, ALargePlaneIsStoppedBeforeItsMemoryIsThere) {
    constexpr std::int64_t width = 8192;
    constexpr std::int64_t height = 2048;
    const std::vector<float> x(width * height, 0.5F);
    const FilterDesc desc{.shape = {.h = height, .w = width}, .filter = {.id = 6}};
    const ConstTensorView view{x.data(), ElementType::f32, desc.shape, width, width * height};
    std::stop_source stop;
    std::int64_t most = 0;
    const std::int64_t before = resident_bytes();
    const RunControl control{.stop = stop.get_token(), .progress = [&](double) {
                                 most = std::max(most, resident_bytes() - before);
                                 stop.request_stop();
                             }};
    std::vector<double> dp(filter_row(6)->parameters.size());
    const auto done = iir::gradient_cpu(desc, *make_filter(desc.filter), view, view, dp, 1, control);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::cancelled);
    EXPECT_GT(most, 0);
    EXPECT_LT(most, width * height * std::int64_t{sizeof(float)} / 2);
}
#endif

}  // namespace
