// SPDX-License-Identifier: MIT
// The CPU backend against the reference, over the whole contract.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;

// The contract's bounds, stated here anew: the backend's own statement is checked against them.
double contract_bound(Precision precision) {
    return precision == Precision::f32 ? 1e-5 : precision == Precision::mixed ? 1e-6 : 1e-12;
}

using Size = std::pair<std::int64_t, std::int64_t>;  // width, height

class Parity : public ::testing::TestWithParam<std::tuple<int, Size>> {};

TEST_P(Parity, EveryBorderPrecisionAndStartIsWithinTheBound) {
    const auto [id, size] = GetParam();
    const auto [width, height] = size;
    const auto x = random_plane(width * height, static_cast<unsigned>(id));
    for (const auto [border, start] : all_modes) {
        FilterDesc desc{.shape = {.h = height, .w = width},
                        .filter = {.id = id},
                        .border = border,
                        .border_const = 0.25,
                        .start = start};
        const auto expected = run_reference(desc, x);
        for (const Precision precision : all_precisions) {
            desc.precision = precision;
            const auto actual = run_cpu(desc, x);
            ASSERT_TRUE(actual) << actual.error().message;
            EXPECT_LE(max_abs_difference(*actual, expected), contract_bound(precision)) << describe(desc);
        }
    }
}

std::string parity_name(const ::testing::TestParamInfo<std::tuple<int, Size>>& info) {
    const auto [id, size] = info.param;
    return "filter_" + std::to_string(id) + "_" + std::to_string(size.first) + "x" +
           std::to_string(size.second);
}

INSTANTIATE_TEST_SUITE_P(Small, Parity,
                         ::testing::Combine(::testing::Range(1, static_cast<int>(filter_table().size()) + 1),
                                            ::testing::Values(Size{1, 1}, Size{7, 1}, Size{1, 7}, Size{2, 3},
                                                              Size{4, 4}, Size{3, 5}, Size{17, 33})),
                         parity_name);
INSTANTIATE_TEST_SUITE_P(Medium, Parity,
                         ::testing::Combine(::testing::Range(1, static_cast<int>(filter_table().size()) + 1),
                                            ::testing::Values(Size{129, 257})),
                         parity_name);
INSTANTIATE_TEST_SUITE_P(Large, Parity,
                         ::testing::Combine(::testing::Range(1, static_cast<int>(filter_table().size()) + 1),
                                            ::testing::Values(Size{777, 1000})),
                         parity_name);

// Poles near 1: the backend states its own bound, in proportion to 1 / (1 - alpha), and keeps it.
TEST(Parity, PolesNearOneKeepTheStatedBound) {
    struct Case {
        int id;
        const char* name;
        double value;
    };
    // Beside the parameter: the second one of second-order sections, whose poles are 0.99 exp(+-0.05 i).
    const auto parameters = [](const Case& c) {
        std::vector<std::pair<std::string, double>> values{{c.name, c.value}};
        if (std::string_view(c.name) == "a1") values.emplace_back("a2", -0.9801);
        return values;
    };
    const auto device = Device::cpu(2);
    for (const Case& c :
         {Case{3, "a1", 1.9775254}, Case{4, "a1", 1.9775254}, Case{1, "alpha", 0.99}, Case{1, "alpha", 0.999},
          Case{1, "alpha", 0.0}, Case{2, "a", 0.999}, Case{5, "alpha", 0.999}, Case{6, "sigma", 0.3},
          Case{6, "sigma", 25.0}, Case{6, "sigma", 100.0}}) {
        for (const auto [border, start] : all_modes) {
            FilterDesc desc{.shape = {.h = 211, .w = 190},
                            .filter = {.id = c.id, .parameters = parameters(c)},
                            .border = border,
                            .border_const = 0.5,
                            .start = start};
            const auto x = random_plane(count_of(desc.shape), 5);
            const auto expected = run_reference(desc, x);
            for (const Precision precision : all_precisions) {
                desc.precision = precision;
                const auto plan = FilterPlan::make(*device, desc);
                ASSERT_TRUE(plan) << plan.error().message;
                const double stated = *plan->precision().max_abs_error;
                if (c.id == 1 && precision == Precision::f32) {
                    EXPECT_NEAR(stated, 1e-5 * std::max(1.0, 0.01 / (1.0 - c.value)), 1e-7);
                }
                const auto actual = run_cpu(desc, x);
                ASSERT_TRUE(actual) << actual.error().message;
                EXPECT_LE(max_abs_difference(*actual, expected), stated)
                    << describe(desc) << " " << c.name << " " << c.value;
            }
        }
    }
}

TEST(Parity, StatedBoundsAtTheDefaultsAreTheContracts) {
    const auto device = Device::cpu(1);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Precision precision : all_precisions) {
            const auto plan = FilterPlan::make(*device, {.filter = {.id = id}, .precision = precision});
            ASSERT_TRUE(plan);
            EXPECT_LE(*plan->precision().max_abs_error, contract_bound(precision) * (1 + 1e-9)) << id;
        }
    }
}

TEST(Parity, ManyPlanesAreFilteredEachOnItsOwn) {
    const FilterDesc many{.shape = {.n = 2, .c = 3, .h = 37, .w = 41}, .filter = {.id = 6}};
    const auto x = random_plane(count_of(many.shape), 9);
    const auto all = run_cpu(many, x);
    ASSERT_TRUE(all);
    FilterDesc one = many;
    one.shape = {.h = 37, .w = 41};
    const auto size = static_cast<std::ptrdiff_t>(37 * 41);
    for (std::ptrdiff_t p = 0; p < 6; ++p) {
        const std::vector<double> plane(x.begin() + p * size, x.begin() + (p + 1) * size);
        const auto alone = run_cpu(one, plane);
        ASSERT_TRUE(alone);
        EXPECT_TRUE(std::equal(alone->begin(), alone->end(), all->begin() + p * size)) << p;
    }
}

}  // namespace
