// SPDX-License-Identifier: MIT
// Random filters, sizes and views: the reference and the CPU backend against the contract read a second time.
#include "tests/kernels/iir/contract.h"

#include <gtest/gtest.h>

#include "tests/kernels/iir/iir_testing.h"
#include "tests/kernels/iir/random_filter.h"

namespace {

using namespace iir2d;
using namespace iir_test;

double worst_of(const std::vector<double>& y, const RealLine& expected) {
    double worst = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto d = static_cast<double>(std::abs(static_cast<Real>(y[i]) - expected[i]));
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

TEST(Contract, ReferenceAndBackendAgreeWithAReadingOfTheirOwn) {
    Random random(20);
    for (int i = 0; i < 500; ++i) {
        const auto [filter, spec] = random_filter(random);
        FilterDesc desc{.shape = {.h = random_size(random), .w = random_size(random)},
                        .filter = spec,
                        .border = static_cast<Border>(random.integer(0, 3)),
                        .border_const = static_cast<float>(random.real(0, 1)),
                        .start = static_cast<Start>(random.integer(0, 1))};
        const auto x = random_plane(count_of(desc.shape), static_cast<unsigned>(i));
        const RealLine expected = contract_plane(
            {filter, desc.border, static_cast<Real>(desc.border_const), desc.start},
            RealLine(x.begin(), x.end()), static_cast<long>(desc.shape.h), static_cast<long>(desc.shape.w));
        double largest = 1.0;
        for (const Real v : expected) largest = std::max(largest, static_cast<double>(std::abs(v)));
        EXPECT_LE(worst_of(run_reference(desc, x), expected), 1e-12 * largest) << i << ": " << describe(desc);
        for (const Precision precision : all_precisions) {
            desc.precision = precision;
            const auto plan = FilterPlan::make(*Device::cpu(1), desc);
            ASSERT_TRUE(plan) << plan.error().message;
            const auto y = run_cpu(desc, x, static_cast<int>(random.integer(1, 3)));
            ASSERT_TRUE(y) << y.error().message;
            EXPECT_LE(worst_of(*y, expected), *plan->precision().max_abs_error)
                << i << ": " << describe(desc);
        }
    }
}

// Which pixels a NaN or infinity reaches is the recurrence's doing, not the backend's or the precision's.
TEST(Contract, NonFinitePixelsReachTheSameOthersInEveryBackend) {
    Random random(21);
    constexpr double specials[] = {std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
    for (int i = 0; i < 400; ++i) {
        // Some lines longer than the filters' memory: under the steady start the far end counts too.
        FilterDesc desc{.shape = {.h = random.integer(1, 20), .w = random.integer(1, i % 4 == 0 ? 700 : 40)},
                        .filter = {.id = static_cast<int>(random.integer(1, 8))},
                        .border = static_cast<Border>(random.integer(0, 3)),
                        .border_const = 0.5,
                        .start = static_cast<Start>(random.integer(0, 1))};
        if (i % 5 == 0) desc.filter = {.id = 1, .parameters = {{"alpha", 0.0}}};
        auto x = random_plane(count_of(desc.shape), static_cast<unsigned>(i));
        for (std::int64_t k = random.integer(1, 2); k > 0; --k) {
            x[static_cast<std::size_t>(random.integer(0, count_of(desc.shape) - 1))] =
                specials[random.integer(0, 2)];
        }
        const auto expected = run_reference(desc, x);
        for (const Precision precision : all_precisions) {
            desc.precision = precision;
            const auto y = run_cpu(desc, x);
            ASSERT_TRUE(y);
            for (std::size_t k = 0; k < y->size(); ++k) {
                ASSERT_EQ(std::isfinite((*y)[k]), std::isfinite(expected[k]))
                    << i << ": " << describe(desc) << " pixel " << k;
            }
        }
    }
}

// One NaN in a row that is extended periodically for ever lies before every sample of that row.
TEST(Contract, UnderTheSteadyPeriodicStartANaNIsBeforeEverySample) {
    for (const Border border : {Border::mirror, Border::wrap}) {
        for (int id = 1; id <= std::ssize(filter_table()); ++id) {
            const FilterDesc desc{
                .shape = {.h = 3, .w = 3000}, .filter = {.id = id}, .border = border, .start = Start::steady};
            auto x = random_plane(count_of(desc.shape), 4);
            x[3000 + 20] = std::numeric_limits<double>::quiet_NaN();
            const auto y = run_cpu(desc, x);
            ASSERT_TRUE(y);
            for (const double v : *y) ASSERT_TRUE(std::isnan(v)) << describe(desc);
        }
    }
}

}  // namespace
