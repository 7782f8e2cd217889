// SPDX-License-Identifier: MIT
// iir2d_filter_backward_cpu: the adjoint and the gradients of the parameters through the C interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "iir2d/convert.h"
#include "iir2d/iir2d_filter.h"
#include "tests/kernels/iir/filter_c_testing.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace filter_c_testing;
using iir_test::dot;
using ::testing::HasSubstr;

std::int32_t parameters_of(int id) {
    std::int32_t count = 0;
    EXPECT_EQ(iir2d_filter_count(id, &count), IIR2D_STATUS_OK);
    return count;
}

template <class T>
struct Backward {
    std::vector<T> dx;
    std::vector<double> dp;
};

template <class T>
Backward<T> backward(const IIR2D_FilterParams& p, const std::vector<T>& x, const std::vector<T>& dy) {
    const auto sets = static_cast<std::size_t>(p.parameter_sets);
    Backward<T> result{
        std::vector<T>(dy.size()),
        std::vector<double>(sets * static_cast<std::size_t>(parameters_of(p.filter_id)), -9.0)};
    EXPECT_EQ(iir2d_filter_backward_cpu(x.data(), dy.data(), result.dx.data(), result.dp.data(), &p),
              IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_STREQ(iir2d_last_error(), "");
    return result;
}

TEST(FilterCBackward, ReadsTheBorderConstantUnderThatBorderAlone) {
    const Shape s{1, 1, 7, 9};
    const auto x = planes<double>(count_of(s), 1);
    const auto dy = planes<double>(count_of(s), 2);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        IIR2D_FilterParams p = params(s, id, Precision::f64);
        p.start = IIR2D_START_STEADY;
        const Backward<double> wanted = backward(p, x, dy);
        p.border_const = not_a_number;
        const Backward<double> found = backward(p, x, dy);
        EXPECT_EQ(found.dp, wanted.dp) << id;
        EXPECT_EQ(found.dx, wanted.dx) << id;
        std::vector<double> reference(wanted.dp.size());
        ASSERT_TRUE(reference::filter_gradient(desc_of(p), x, dy, reference));
        for (const double g : reference) EXPECT_FALSE(std::isnan(g)) << id;
    }
}

TEST(FilterCBackward, RefusesMorePlanesThanMemoryHoldsGradientsOf) {
    // One sample that every plane repeats; 10 gradients for each wrap around 64 bits.
    IIR2D_FilterParams p = params({1'844'674'407'370'955'162, 1, 1, 1}, 4);
    for (auto* strides : {p.x_stride, p.dy_stride}) strides[2] = 1;
    ASSERT_EQ(parameters_of(4), 10);
    const float sample = 1.0F;
    std::vector<double> dp(10, -9.0);
    EXPECT_EQ(iir2d_filter_backward_cpu(&sample, &sample, nullptr, dp.data(), &p),
              IIR2D_STATUS_WORKSPACE_ERROR);
    EXPECT_EQ(dp, std::vector<double>(10, -9.0));
}

TEST(FilterCBackward, StridesOfWhatIsLeftOutSayNothing) {
    const Shape s{1, 1, 7, 9};
    const auto x = planes<float>(count_of(s), 1);
    std::vector<float> dx(x.size());
    std::vector<double> dp(static_cast<std::size_t>(parameters_of(1)));
    IIR2D_FilterParams p = params(s, 1);
    p.x_stride[2] = 5;
    EXPECT_EQ(iir2d_filter_backward_cpu(nullptr, x.data(), dx.data(), nullptr, &p), IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_EQ(iir2d_filter_backward_cpu(x.data(), x.data(), dx.data(), dp.data(), &p),
              IIR2D_STATUS_INVALID_DIMENSION);
    p.x_stride[2] = 0;
    p.dx_stride[2] = 5;
    EXPECT_EQ(iir2d_filter_backward_cpu(x.data(), x.data(), nullptr, dp.data(), &p), IIR2D_STATUS_OK)
        << iir2d_last_error();
}

TEST(FilterCBackward, IsTheReferences) {
    const Shape s{2, 2, 9, 14};
    const auto x = planes<double>(count_of(s), 1);
    const auto dy = planes<double>(count_of(s), 2);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : iir_test::all_modes) {
            IIR2D_FilterParams p = params(s, id, Precision::f64);
            p.border_mode = static_cast<int>(border);
            p.border_const = 0.5;
            p.start = static_cast<int>(start);
            p.normalise_gain = id % 2;
            const FilterDesc desc = desc_of(p);
            std::vector<double> dx(dy.size());
            std::vector<double> dp(static_cast<std::size_t>(parameters_of(id)));
            ASSERT_TRUE(reference::filter_adjoint(desc, dy, dx));
            ASSERT_TRUE(reference::filter_gradient(desc, x, dy, dp));
            const auto got = backward(p, x, dy);
            EXPECT_LE(iir_test::max_abs_difference(got.dx, dx), 1e-11) << iir_test::describe(desc);
            for (std::size_t i = 0; i < dp.size(); ++i) {
                EXPECT_NEAR(got.dp[i], dp[i], 1e-9 * std::max(1.0, std::abs(dp[i])))
                    << iir_test::describe(desc) << " parameter " << i;
            }
        }
    }
}

// <A x, y> = <x, A^T y>, through the C functions alone.
TEST(FilterCBackward, IsTheAdjointOfForward) {
    const Shape s{1, 2, 21, 34};
    const auto x = planes<double>(count_of(s), 3);
    const auto y = planes<double>(count_of(s), 4);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        const IIR2D_FilterParams p = params(s, id, Precision::f64);
        const auto forwards = forward(p, x);
        const auto back = backward(p, x, y).dx;
        EXPECT_NEAR(dot(forwards, y), dot(x, back), 1e-12 * std::sqrt(dot(x, x) * dot(back, back))) << id;
    }
}

TEST(FilterCBackward, WhatIsNullIsNotComputed) {
    const Shape s{2, 1, 13, 8};
    const auto x = planes<float>(count_of(s), 1);
    const auto dy = planes<float>(count_of(s), 2);
    const IIR2D_FilterParams p = params(s, 6);
    const auto both = backward(p, x, dy);
    std::vector<float> dx(dy.size());
    std::vector<double> dp(2);
    ASSERT_EQ(iir2d_filter_backward_cpu(nullptr, dy.data(), dx.data(), nullptr, &p), IIR2D_STATUS_OK);
    EXPECT_EQ(dx, both.dx);
    ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), dy.data(), nullptr, dp.data(), &p), IIR2D_STATUS_OK);
    EXPECT_EQ(dp, both.dp);
    EXPECT_NE(dp[0], 0.0);
    EXPECT_EQ(dp[1], 0.0) << "a switch";
    EXPECT_EQ(iir2d_filter_backward_cpu(nullptr, dy.data(), nullptr, nullptr, &p), IIR2D_STATUS_OK);
    // In place of dy, whose values the parameters have seen by then.
    auto in_place = dy;
    ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), in_place.data(), in_place.data(), dp.data(), &p),
              IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_EQ(in_place, both.dx);
    EXPECT_EQ(dp, both.dp);
}

TEST(FilterCBackward, ASetForAllPlanesHasTheSumOfTheirs) {
    const Shape s{2, 3, 10, 15};
    const auto x = planes<double>(count_of(s), 1);
    const auto dy = planes<double>(count_of(s), 2);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        IIR2D_FilterParams p = params(s, id, Precision::f64);
        const auto all = backward(p, x, dy);
        p.parameter_sets = 6;
        const auto each = backward(p, x, dy);
        EXPECT_EQ(all.dx, each.dx);
        std::vector<double> sums(all.dp.size());
        for (std::size_t i = 0; i < each.dp.size(); ++i) sums[i % sums.size()] += each.dp[i];
        EXPECT_EQ(all.dp, sums) << id;
    }
}

TEST(FilterCBackward, ParameterSetsAreALoopOverThePlanes) {
    const Shape s{1, 3, 12, 9};
    const auto x = planes<float>(count_of(s), 1);
    const auto dy = planes<float>(count_of(s), 2);
    const double sigmas[] = {1.0, 0.0, not_a_number, not_a_number, 7.5, 1.0};
    IIR2D_FilterParams p = params(s, 6);
    p.parameters = sigmas;
    p.parameter_sets = 3;
    const auto all = backward(p, x, dy);
    p.c = p.parameter_sets = 1;
    for (std::ptrdiff_t plane = 0; plane < 3; ++plane) {
        const auto part = [&](const std::vector<float>& v) {
            return std::vector<float>(v.begin() + plane * 108, v.begin() + (plane + 1) * 108);
        };
        p.parameters = sigmas + 2 * plane;
        const auto one = backward(p, part(x), part(dy));
        EXPECT_EQ(one.dx, part(all.dx)) << plane;
        EXPECT_EQ(one.dp, std::vector<double>(all.dp.begin() + 2 * plane, all.dp.begin() + 2 * plane + 2));
    }
}

TEST(FilterCBackward, SixteenBitElementsAreF32RoundedOnce) {
    const Shape s{2, 2, 12, 31};
    const auto count = static_cast<std::size_t>(count_of(s));
    for (const auto element : {ElementType::f16, ElementType::bf16}) {
        std::vector<std::uint16_t> x(count);
        std::vector<std::uint16_t> dy(count);
        auto wide_x = planes<float>(count_of(s), 5);
        auto wide_dy = planes<float>(count_of(s), 6);
        for (auto [wide, narrow] : {std::pair(&wide_x, &x), std::pair(&wide_dy, &dy)}) {
            convert_elements(wide->data(), ElementType::f32, narrow->data(), element, count);
            convert_elements(narrow->data(), element, wide->data(), ElementType::f32, count);
        }
        for (const int id : {1, 3, 6}) {
            IIR2D_FilterParams p = params(s, id);
            const auto expected = backward(p, wide_x, wide_dy);
            std::vector<std::uint16_t> dx(count);
            convert_elements(expected.dx.data(), ElementType::f32, dx.data(), element, count);
            p.element = static_cast<int>(element);
            const auto got = backward(p, x, dy);
            EXPECT_EQ(got.dx, dx) << id;
            EXPECT_EQ(got.dp, expected.dp) << id;
        }
    }
}

TEST(FilterCBackward, RepeatedGradientsAndGapsHaveTheBitsOfDenseCopies) {
    const Shape s{2, 3, 5, 11};
    const auto x = planes<float>(2000, 1);
    const auto one = planes<float>(5 * 11, 2);
    std::vector<float> dense_x;
    std::vector<float> dense_dy;
    const std::int64_t at[] = {700, 200, 20};
    for (std::int64_t i = 0; i < count_of(s); ++i) {
        const std::int64_t plane = i / 55;
        const std::int64_t place = plane / 3 * at[0] + plane % 3 * at[1] + i % 55 / 11 * at[2] + i % 11;
        dense_x.push_back(x[static_cast<std::size_t>(place)]);
        dense_dy.push_back(one[static_cast<std::size_t>(i % 55)]);
    }
    for (const int id : {1, 6, 4}) {
        IIR2D_FilterParams p = params(s, id);
        const auto expected = backward(p, dense_x, dense_dy);
        std::copy_n(at, 3, p.x_stride);
        std::copy_n(at, 3, p.dx_stride);
        p.dy_stride[2] = 11;
        std::vector<float> dx(2000, -7.0F);
        std::vector<double> dp(expected.dp.size());
        ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), one.data(), dx.data(), dp.data(), &p), IIR2D_STATUS_OK)
            << iir2d_last_error();
        EXPECT_EQ(dp, expected.dp);
        for (std::int64_t i = 0; i < count_of(s); ++i) {
            const std::int64_t plane = i / 55;
            float& value = dx[static_cast<std::size_t>(plane / 3 * at[0] + plane % 3 * at[1] +
                                                       i % 55 / 11 * at[2] + i % 11)];
            EXPECT_EQ(value, expected.dx[static_cast<std::size_t>(i)]);
            value = -7.0F;
        }
        EXPECT_EQ(std::ranges::count(dx, -7.0F), 2000) << "a gap was written";
    }
}

// Columns that are swept band by band.
TEST(FilterCBackward, LongColumnsWithGapsHaveTheBitsOfDenseCopies) {
    const Shape s{1, 1, 61, 70};
    const auto dense_x = planes<float>(count_of(s), 1);
    const auto dense_dy = planes<float>(count_of(s), 2);
    const std::int64_t x_row = 77;
    const std::int64_t dy_row = 93;
    std::vector<float> x(static_cast<std::size_t>(s.h * x_row), static_cast<float>(not_a_number));
    std::vector<float> dy(static_cast<std::size_t>(s.h * dy_row), static_cast<float>(not_a_number));
    for (std::int64_t y = 0; y < s.h; ++y) {
        std::copy_n(dense_x.begin() + y * s.w, s.w, x.begin() + y * x_row);
        std::copy_n(dense_dy.begin() + y * s.w, s.w, dy.begin() + y * dy_row);
    }
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        IIR2D_FilterParams p = params(s, id);
        const auto expected = backward(p, dense_x, dense_dy).dp;
        p.x_stride[2] = x_row;
        p.dy_stride[2] = dy_row;
        std::vector<double> dp(expected.size());
        ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), dy.data(), nullptr, dp.data(), &p), IIR2D_STATUS_OK)
            << iir2d_last_error();
        EXPECT_EQ(dp, expected) << id;
    }
}

TEST(FilterCBackward, EveryNumberOfThreadsGivesTheSameBits) {
    const Shape s{1, 3, 300, 301};
    const auto x = planes<float>(count_of(s), 1);
    const auto dy = planes<float>(count_of(s), 2);
    for (const int id : {1, 5, 6}) {
        IIR2D_FilterParams p = params(s, id);
        p.threads = 1;
        const auto expected = backward(p, x, dy);
        for (const int threads : {0, 2, 7}) {
            p.threads = threads;
            const auto got = backward(p, x, dy);
            EXPECT_EQ(got.dx, expected.dx) << threads;
            EXPECT_EQ(got.dp, expected.dp) << threads;
        }
    }
}

TEST(FilterCBackward, RefusesAndWritesNothing) {
    std::vector<float> x(24, 1.0F);
    const std::vector<float> dy(24, 1.0F);
    std::vector<float> dx(24, 5.0F);
    std::vector<double> dp(4, 5.0);
    const IIR2D_FilterParams good = params({1, 1, 4, 6}, 6);
    const auto fails = [&](const void* given_x, const void* given_dy, void* given_dx, double* given_dp,
                           const IIR2D_FilterParams* p, int status, const char* sentence) {
        EXPECT_EQ(iir2d_filter_backward_cpu(given_x, given_dy, given_dx, given_dp, p), status) << sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(sentence));
        EXPECT_EQ(dx, std::vector<float>(24, 5.0F)) << sentence;
        EXPECT_EQ(dp, std::vector<double>(4, 5.0)) << sentence;
    };
    fails(x.data(), nullptr, dx.data(), dp.data(), &good, IIR2D_STATUS_NULL_POINTER, "dy is null");
    fails(nullptr, dy.data(), dx.data(), dp.data(), &good, IIR2D_STATUS_NULL_POINTER, "x is null");
    fails(x.data(), dy.data(), dx.data(), dp.data(), nullptr, IIR2D_STATUS_NULL_POINTER, "params is null");
    fails(dx.data(), dy.data(), dx.data(), dp.data(), &good, IIR2D_STATUS_INVALID_ARGUMENT, "dx overlaps x");
    fails(x.data(), dx.data(), dx.data() + 1, nullptr, &good, IIR2D_STATUS_INVALID_ARGUMENT,
          "dx overlaps dy");
    auto* torn = reinterpret_cast<double*>(reinterpret_cast<char*>(dp.data()) + 4);
    fails(x.data(), dy.data(), dx.data(), torn, &good, IIR2D_STATUS_INVALID_ARGUMENT, "dp: not aligned");
    std::vector<double> both(20, 5.0);
    fails(x.data(), dy.data(), both.data(), both.data() + 2, &good, IIR2D_STATUS_INVALID_ARGUMENT,
          "dp overlaps dx");
    EXPECT_EQ(both, std::vector<double>(20, 5.0));
    IIR2D_FilterParams p = good;
    p.dy_stride[2] = 5;
    fails(x.data(), dy.data(), dx.data(), dp.data(), &p, IIR2D_STATUS_INVALID_DIMENSION, "dy_stride[2] is 5");
    p = good;
    p.c = 2;
    p.dx_stride[2] = 6;
    fails(x.data(), dy.data(), dx.data(), dp.data(), &p, IIR2D_STATUS_INVALID_DIMENSION,
          "lie over each other");
    p = good;
    p.start = 9;
    fails(x.data(), dy.data(), dx.data(), dp.data(), &p, IIR2D_STATUS_INVALID_ARGUMENT, "start 9");
}

TEST(FilterCBackward, PollCancels) {
    IIR2D_FilterParams p = params({1, 2, 2000, 2000}, 6);
    p.poll = Asked::poll;
    std::vector<float> x(8000000, 0.5F);
    std::vector<float> dx(x.size());
    std::vector<double> dp(2);
    Asked asked;
    p.user = &asked;
    ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), x.data(), dx.data(), dp.data(), &p), IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_FALSE(asked.elsewhere);
    // Others could do the work before the caller asks again.
    p.threads = 1;
    asked = {};
    ASSERT_EQ(iir2d_filter_backward_cpu(x.data(), x.data(), dx.data(), dp.data(), &p), IIR2D_STATUS_OK)
        << iir2d_last_error();
    EXPECT_GE(asked.calls, 3);
    EXPECT_GT(asked.last, 0.75);
    for (Asked cancels : {Asked{.cancel_at = 0}, Asked{.cancel_at = 2}, Asked{.cancel_from = 0.5}}) {
        p.user = &cancels;
        EXPECT_EQ(iir2d_filter_backward_cpu(x.data(), x.data(), dx.data(), dp.data(), &p),
                  IIR2D_STATUS_CANCELLED);
        EXPECT_THAT(iir2d_last_error(), HasSubstr("cancelled"));
    }
}

TEST(FilterCBackward, OnAGpuItSaysWhatItsWorkspaceIsAndChecksEverything) {
    const std::vector<float> dy(24, 1.0F);
    std::vector<float> dx(24, 5.0F);
    IIR2D_FilterParams p = params({1, 1, 4, 6}, 6);
    std::size_t bytes = 77;
    std::vector<double> dp(2);
    EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 1, 1, &bytes), IIR2D_STATUS_OK);
    EXPECT_GT(bytes, 7U * 24 * sizeof(double));
    EXPECT_EQ(iir2d_filter_backward_cuda(dy.data(), dy.data(), dx.data(), dp.data(), &p, nullptr, 0, nullptr),
              IIR2D_STATUS_WORKSPACE_ERROR);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("workspace is null"));
    EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 1, 0, &bytes), IIR2D_STATUS_OK);
    EXPECT_EQ(bytes, 24 * sizeof(float));
    // Planes of filters that take different numbers of buffers: the most of them.
    const auto workspace = [&p](std::vector<double> parameters) {
        p.c = p.parameter_sets = static_cast<std::int64_t>(parameters.size() / 2);
        p.parameters = parameters.data();
        std::size_t needed = 0;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 1, 1, &needed), IIR2D_STATUS_OK) << iir2d_last_error();
        return needed;
    };
    const std::size_t of_both = std::max(workspace({2.0, 0.0}), workspace({2.0, 1.0}));
    EXPECT_NE(workspace({2.0, 0.0}), workspace({2.0, 1.0}));
    EXPECT_EQ(workspace({2.0, 0.0, 1.0, 0.0, 3.0, 1.0}), of_both);
    EXPECT_EQ(workspace({2.0, 1.0, 1.0, 1.0, 3.0, 0.0}), of_both);
    p = params({1, 1, 4, 6}, 6);
    bytes = 77;
    EXPECT_EQ(iir2d_filter_backward_cuda(nullptr, dy.data(), dx.data(), nullptr, &p, nullptr, 0, nullptr),
              IIR2D_STATUS_WORKSPACE_ERROR);
    EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 2, 0, &bytes), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("backward is 2"));
    EXPECT_EQ(bytes, 77U);
    p.width = 0;
    EXPECT_EQ(iir2d_filter_backward_cuda(nullptr, dy.data(), dx.data(), nullptr, &p, nullptr, 0, nullptr),
              IIR2D_STATUS_INVALID_DIMENSION);
    EXPECT_EQ(dx, std::vector<float>(24, 5.0F));
}

}  // namespace
