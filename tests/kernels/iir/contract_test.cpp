// SPDX-License-Identifier: MIT
// Random filters, sizes and views: the reference and the CPU backend against the contract read a second time.
#include "tests/kernels/iir/contract.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;

// The standard library's distributions differ between implementations; the cases here must not.
class Random {
  public:
    explicit Random(unsigned seed) : m_engine(seed) {}
    double real(double from, double to) {
        return from + (to - from) * (static_cast<double>(m_engine() >> 11) * 0x1p-53);
    }
    std::int64_t integer(std::int64_t from, std::int64_t to) {
        return from + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(to - from + 1));
    }
    bool coin() { return integer(0, 1) == 1; }

  private:
    std::mt19937_64 m_engine;
};

constexpr std::array<const char*, 10> coefficient_names{
    "b0", "b1", "b2", "a1", "a2", "second_b0", "second_b1", "second_b2", "second_a1", "second_a2"};

// A filter anywhere in its range, poles up to 0.95; the defaults every third time.
std::pair<ContractFilter, FilterSpec> random_filter(Random& random) {
    ContractFilter filter{.id = static_cast<int>(random.integer(1, 8))};
    FilterSpec spec{.id = filter.id};
    const bool defaults = random.integer(0, 2) == 0;
    const auto choose = [&](const char* name, double standard, double from, double to) {
        filter.values[0] = defaults ? standard : random.real(from, to);
        if (!defaults) spec.parameters.emplace_back(name, filter.values[0]);
    };
    switch (filter.id) {
        case 1:
        case 7:
            choose("alpha", 0.85, 0.0, 0.99);
            break;
        case 2:
            choose("a", 0.75, 0.0, 0.98);
            break;
        case 5:
            choose("alpha", 0.6, 0.0, 0.98);
            break;
        case 6:
            choose("sigma", 2.0, 0.3, 20.0);
            filter.compat_1_0 = random.coin();
            if (filter.compat_1_0) spec.parameters.emplace_back("compat_1_0", 1.0);
            break;
        default:
            filter.values = {0.2, 0.2, 0.2, 0.3, -0.1, 0.3, 0.1, 0.1, 0.2, -0.05};
            for (std::size_t k = 0; k < (filter.id == 4 ? 10U : 5U) && !defaults; k += 5) {
                const double p = random.real(-0.95, 0.95);
                const double q = random.real(-0.95, 0.95);
                // Two real poles p and q, or a pair at radius |p|.
                const std::array<double, 2> a =
                    random.coin() ? std::array{p + q, -p * q} : std::array{2 * std::abs(p) * q, -p * p};
                for (std::size_t j = 0; j < 3; ++j) filter.values[k + j] = random.real(-1, 1);
                filter.values[k + 3] = a[0];
                filter.values[k + 4] = a[1];
                for (std::size_t j = k; j < k + 5; ++j)
                    spec.parameters.emplace_back(coefficient_names[j], filter.values[j]);
            }
    }
    return {filter, spec};
}

std::int64_t random_size(Random& random) {
    const std::int64_t kind = random.integer(0, 9);
    return kind < 3 ? random.integer(1, 4) : kind < 9 ? random.integer(5, 60) : random.integer(250, 600);
}

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
        for (int id = 1; id <= 8; ++id) {
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
