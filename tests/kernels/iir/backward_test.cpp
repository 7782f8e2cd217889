// SPDX-License-Identifier: MIT
// FilterPlan::backward: against the reference, and what it refuses. The mathematics behind it has tests of
// its own on the library's objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;

TEST(FilterBackward, GivesBothGradientsOfTheReference) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        const FilterDesc desc{.shape = {.n = 2, .c = 2, .h = 19, .w = 40},
                              .filter = {.id = id, .normalise_gain = true},
                              .precision = Precision::f64};
        const auto plan = FilterPlan::make(*Device::cpu(2), desc);
        ASSERT_TRUE(plan);
        const auto x = random_plane(count_of(desc.shape), 1);
        const auto dy = random_plane(count_of(desc.shape), 2);
        std::vector<double> dx(x.size());
        std::vector<double> dp(filter_row(id)->parameters.size(), -1.0);
        double last = 0.0;
        const ConstTensorView x_view{x.data(), ElementType::f64, desc.shape};
        const ConstTensorView dy_view{dy.data(), ElementType::f64, desc.shape};
        const auto done = plan->backward(x_view, dy_view, {dx.data(), ElementType::f64, desc.shape}, dp,
                                         {.progress = [&](double fraction) {
                                             EXPECT_GE(fraction, last);
                                             last = fraction;
                                         }});
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(last, 1.0);
        std::vector<double> expected(x.size());
        ASSERT_TRUE(reference::filter_adjoint(desc, dy, expected));
        EXPECT_LE(max_abs_difference(dx, expected), 1e-12) << id;
        std::vector<double> expected_dp(dp.size());
        ASSERT_TRUE(reference::filter_gradient(desc, x, dy, expected_dp));
        for (std::size_t k = 0; k < dp.size(); ++k)
            EXPECT_NEAR(dp[k], expected_dp[k], 1e-10 * (1.0 + std::abs(expected_dp[k]))) << id;

        // Either alone, and dx in the place of dy.
        auto in_place = dy;
        ASSERT_TRUE(plan->backward({}, {in_place.data(), ElementType::f64, desc.shape},
                                   {in_place.data(), ElementType::f64, desc.shape}));
        EXPECT_EQ(in_place, dx);
        std::vector<double> alone(dp.size());
        ASSERT_TRUE(plan->backward(x_view, dy_view, {}, alone));
        EXPECT_EQ(alone, dp);
    }
}

TEST(FilterBackward, OfFiltersAsDataHasNoParameters) {
    FilterDesc desc{.shape = {.h = 8, .w = 9}, .filter = {.id = 3}, .precision = Precision::f64};
    const auto x = random_plane(72, 1);
    const ConstTensorView view{x.data(), ElementType::f64, desc.shape};
    std::vector<double> of_row(72);
    std::vector<double> of_data(72);
    ASSERT_TRUE(FilterPlan::make(*Device::cpu(1), desc)
                    ->backward({}, view, {of_row.data(), ElementType::f64, desc.shape}));
    desc.data = {*make_filter(desc.filter)};
    const auto plan = FilterPlan::make(*Device::cpu(1), desc);
    ASSERT_TRUE(plan);
    ASSERT_TRUE(plan->backward({}, view, {of_data.data(), ElementType::f64, desc.shape}));
    EXPECT_EQ(of_data, of_row);
    std::vector<double> dp(5);
    const auto done = plan->backward(view, view, {}, dp);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message,
              "dp: filters that are given as data have no parameters, only rows of the table have");
}

TEST(FilterBackward, RefusesWhatDoesNotFitAndWritesNothing) {
    const FilterDesc desc{.shape = {.h = 4, .w = 5}, .filter = {.id = 3}};
    const auto plan = FilterPlan::make(*Device::cpu(1), desc);
    std::vector<float> x(40, 1.0F);
    std::vector<float> dx(20, 7.0F);
    const ConstTensorView view{x.data(), ElementType::f32, desc.shape};
    const TensorView out{dx.data(), ElementType::f32, desc.shape};
    std::vector<double> dp(5, 7.0);
    const auto code = [](const Result<void>& done) { return done ? ErrorCode{} : done.error().code; };
    EXPECT_EQ(code(plan->backward(view, {}, out)), ErrorCode::null_pointer);
    EXPECT_EQ(code(plan->backward({}, view, out, dp)), ErrorCode::null_pointer);
    EXPECT_NE(code(plan->backward(view, {x.data(), ElementType::f64, desc.shape}, out)), ErrorCode{});
    EXPECT_NE(code(plan->backward(view, {x.data(), ElementType::f32, {.h = 5, .w = 4}}, out)), ErrorCode{});
    EXPECT_EQ(code(plan->backward(view, view, out, std::span(dp).first(4))), ErrorCode::invalid_argument);
    // dx over half of dy, and over x where x is read.
    EXPECT_EQ(code(plan->backward({}, view, {x.data() + 10, ElementType::f32, desc.shape})),
              ErrorCode::invalid_argument);
    EXPECT_EQ(code(plan->backward({x.data() + 10, ElementType::f32, desc.shape}, out,
                                  {x.data() + 20, ElementType::f32, desc.shape}, dp)),
              ErrorCode::invalid_argument);
    EXPECT_EQ(dx, std::vector<float>(20, 7.0F));
    EXPECT_EQ(dp, std::vector<double>(5, 7.0));
    EXPECT_EQ(x, std::vector<float>(40, 1.0F));
}

}  // namespace
