// SPDX-License-Identifier: MIT
// The reference's adjoint against its own filter, as a matrix and by dot products, and its gradients of the
// parameters against differences of the contract's second reading, which shares no code with the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/iir/contract.h"
#include "tests/kernels/iir/iir_testing.h"
#include "tests/kernels/iir/random_filter.h"

namespace {

using namespace iir2d;
using namespace iir_test;

std::vector<double> adjoint(const FilterDesc& desc, const std::vector<double>& dy) {
    std::vector<double> dx(dy.size());
    const auto done = reference::filter_adjoint(desc, dy, dx);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    return dx;
}

double norm(const std::vector<double>& a) {
    return std::sqrt(dot(a, a));
}

// |<A x, y> - <x, A^T y>| <= tolerance norm(x) norm(A^T y), with values of both signs.
void expect_dot_product(const FilterDesc& desc, unsigned seed, double tolerance) {
    auto x = random_plane(count_of(desc.shape), seed);
    auto y = random_plane(count_of(desc.shape), seed + 1);
    for (double& v : x) v -= 0.5;
    const auto back = adjoint(desc, y);
    EXPECT_LE(std::abs(dot(run_reference(desc, x), y) - dot(x, back)), tolerance * norm(x) * norm(back))
        << describe(desc);
}

constexpr std::pair<std::int64_t, std::int64_t> sizes[] = {{1, 1}, {1, 2}, {2, 1},  {3, 2},   {4, 3},
                                                           {1, 9}, {7, 4}, {5, 12}, {17, 23}, {40, 3}};

TEST(ReferenceAdjoint, KeepsTheDotProduct) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : all_modes) {
            for (const auto& [h, w] : sizes) {
                expect_dot_product(
                    {.shape = {.h = h, .w = w}, .filter = {.id = id}, .border = border, .start = start},
                    static_cast<unsigned>(h * 10 + w), 1e-12);
            }
        }
    }
}

TEST(ReferenceAdjoint, KeepsTheDotProductOfRandomFilters) {
    Random random(22);
    for (int i = 0; i < 300; ++i) {
        const auto [filter, spec] = random_filter(random);
        FilterDesc desc{.shape = {.n = 2, .h = random.integer(1, 20), .w = random.integer(1, 24)},
                        .filter = spec,
                        .border = static_cast<Border>(random.integer(0, 3)),
                        .start = static_cast<Start>(random.integer(0, 1))};
        // Where the taps' sum all but vanishes there is nothing to normalise by.
        desc.filter.normalise_gain = random.coin() && std::abs(dc_gain(make_filter(spec)->horizontal)) > 0.05;
        expect_dot_product(desc, static_cast<unsigned>(i), 1e-12);
    }
}

// Parameters at the ends of their ranges.
const std::pair<int, std::pair<const char*, double>> extremes[] = {
    {1, {"alpha", 0.999}}, {1, {"alpha", 0.0}},   {2, {"a", 0.999}},    {5, {"alpha", 0.999}},
    {6, {"sigma", 0.3}},   {6, {"sigma", 100.0}}, {7, {"alpha", 0.999}}};

TEST(ReferenceAdjoint, KeepsTheDotProductAtTheEndsOfTheRanges) {
    for (const auto& [id, parameter] : extremes) {
        for (const auto [border, start] : all_modes) {
            for (const auto& [h, w] : sizes) {
                expect_dot_product({.shape = {.h = h, .w = w},
                                    .filter = {.id = id, .parameters = {parameter}},
                                    .border = border,
                                    .start = start},
                                   7, 1e-12);
            }
        }
    }
}

TEST(ReferenceAdjoint, IsTheTransposedMatrix) {
    constexpr std::int64_t count = 5 * 6;
    for (const auto [border, start] : all_modes) {
        for (int id = 1; id <= 9; ++id) {
            FilterDesc desc{.shape = {.h = 5, .w = 6},
                            .filter = {.id = std::min(id, 8)},
                            .border = border,
                            .start = start};
            if (id == 9) desc.filter = {.id = 6, .parameters = {{"compat_1_0", 1.0}}};
            std::vector<std::vector<double>> forward;
            std::vector<std::vector<double>> back;
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<double> unit(count);
                unit[i] = 1.0;
                forward.push_back(run_reference(desc, unit));
                back.push_back(adjoint(desc, unit));
            }
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t j = 0; j < count; ++j)
                    ASSERT_NEAR(forward[i][j], back[j][i], 1e-13) << describe(desc) << i << " " << j;
            }
        }
    }
}

TEST(ReferenceAdjoint, DoesNotSeeTheBorderConstantAndWorksInPlace) {
    FilterDesc desc{.shape = {.h = 6, .w = 7}, .filter = {.id = 4}, .border = Border::constant};
    const auto dy = random_plane(42, 3);
    const auto expected = adjoint(desc, dy);
    desc.border_const = 3.0;
    auto in_place = dy;
    ASSERT_TRUE(reference::filter_adjoint(desc, in_place, in_place));
    EXPECT_EQ(in_place, expected);
}

// The parameters of a contract's filter by their places in its values.
std::vector<std::size_t> places_of(int id) {
    std::vector<std::size_t> places(filter_row(id)->parameters.size());
    std::iota(places.begin(), places.end(), 0);
    if (id == 6) places.pop_back();  // a switch
    return places;
}

// The derivative of the contract's filter with respect to one value: a difference of the fourth order in
// extended precision.
struct Difference {
    RealLine derivative;
    Real noise;  // of each sample: the rounding of extended precision, divided by the step
};

Difference difference(const ContractCase& c, std::size_t place, const RealLine& x, const FilterDesc& desc) {
    RealLine sum(x.size());
    Real largest = 0;
    const double value = c.filter.values[place];
    // Small against what is left of the range to the unit circle.
    const bool biquads = filter_row(desc.filter.id)->parameters.size() >= 5;
    // A power of two, so that the moved parameters are exact.
    const double reach = biquads ? 1.0 : desc.filter.id == 6 ? value : 1.001 - value;
    const double step = std::exp2(std::floor(std::log2(reach)) - 17.0);
    for (const auto& [times, weight] :
         {std::pair{1.0, 8.0L}, std::pair{-1.0, -8.0L}, std::pair{2.0, -1.0L}, std::pair{-2.0, 1.0L}}) {
        ContractCase moved = c;
        moved.filter.values[place] = value + times * step;
        const RealLine y =
            contract_plane(moved, x, static_cast<long>(desc.shape.h), static_cast<long>(desc.shape.w));
        for (std::size_t i = 0; i < y.size(); ++i) {
            sum[i] += weight * y[i];
            largest = std::max(largest, std::abs(y[i]));
        }
    }
    for (Real& v : sum) v /= 12 * static_cast<Real>(step);
    return {sum, 1e-17L * largest / static_cast<Real>(step)};
}

// `rounding` is what the reference's own double arithmetic may add where coefficients' gradients cancel, as
// they do where a filter hardly changes with its parameter any more: relative to norm(dy) norm(x).
void expect_gradient(const FilterDesc& desc, const ContractFilter& filter, unsigned seed, double tolerance,
                     double rounding = 0.0) {
    const auto x = random_plane(count_of(desc.shape), seed);
    auto dy = random_plane(count_of(desc.shape), seed + 1);
    for (double& v : dy) v -= 0.25;
    const auto row = filter_row(desc.filter.id);
    std::vector<double> dp(row->parameters.size(), -1.0);
    const auto done = reference::filter_gradient(desc, x, dy, dp);
    ASSERT_TRUE(done) << done.error().message;
    const ContractCase c{filter, desc.border, static_cast<Real>(desc.border_const), desc.start};
    const auto places = places_of(desc.filter.id);
    for (const std::size_t place : places) {
        const auto [d, noise] = difference(c, place, RealLine(x.begin(), x.end()), desc);
        Real expected = 0;
        Real square = 0;
        for (std::size_t i = 0; i < d.size(); ++i) {
            expected += static_cast<Real>(dy[i]) * d[i];
            square += d[i] * d[i];
        }
        const double scale = norm(dy) * static_cast<double>(std::sqrt(square));
        const double oracle =
            norm(dy) * static_cast<double>(noise) * std::sqrt(static_cast<double>(d.size()));
        EXPECT_NEAR(dp[place], static_cast<double>(expected),
                    tolerance * scale + oracle + rounding * norm(dy) * norm(x))
            << describe(desc) << " " << row->parameters[place].name << " at " << filter.values[place]
            << (desc.filter.normalise_gain ? ", gain normalised" : "");
    }
    for (std::size_t i = places.size(); i < dp.size(); ++i) EXPECT_EQ(dp[i], 0.0);
}

TEST(ReferenceGradient, IsTheDerivativeOfTheContract) {
    constexpr std::array<double, 10> biquads{0.2, 0.2, 0.2, 0.3, -0.1, 0.3, 0.1, 0.1, 0.2, -0.05};
    for (int id = 1; id <= 8; ++id) {
        ContractFilter filter{.id = id, .values = biquads};
        if (id == 1 || id == 7) filter.values = {0.85};
        if (id == 2) filter.values = {0.75};
        if (id == 5) filter.values = {0.6};
        if (id == 6) filter.values = {2.0};
        for (const auto [border, start] : all_modes) {
            for (const bool normalise : {false, true}) {
                for (const auto& [h, w] :
                     {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 3}, {1, 4}, {6, 5}}) {
                    filter.normalise_gain = normalise;
                    expect_gradient({.shape = {.h = h, .w = w},
                                     .filter = {.id = id, .normalise_gain = normalise},
                                     .border = border,
                                     .border_const = 0.75,
                                     .start = start},
                                    filter, static_cast<unsigned>(h + w), 1e-9);
                }
            }
        }
    }
}

TEST(ReferenceGradient, IsTheDerivativeOfRandomFilters) {
    Random random(23);
    for (int i = 0; i < 150; ++i) {
        auto [filter, spec] = random_filter(random);
        // Differences step over 1e-3 of what is left of the range.
        if (filter.id == 6 && filter.values[0] < 0.31) continue;
        const bool normalise =
            random.coin() && !filter.compat_1_0 && std::abs(dc_gain(make_filter(spec)->horizontal)) > 0.05;
        filter.normalise_gain = normalise;
        spec.normalise_gain = normalise;
        expect_gradient({.shape = {.h = random.integer(1, 9), .w = random.integer(1, 9)},
                         .filter = spec,
                         .border = static_cast<Border>(random.integer(0, 3)),
                         .border_const = random.real(0, 1),
                         .start = static_cast<Start>(random.integer(0, 1))},
                        filter, static_cast<unsigned>(i), 1e-8);
    }
}

TEST(ReferenceGradient, IsTheDerivativeAtTheEndsOfTheRanges) {
    for (const auto& [id, parameter] : extremes) {
        for (const auto [border, start] : all_modes) {
            ContractFilter filter{.id = id};
            filter.values[0] = parameter.second;
            expect_gradient({.shape = {.h = 5, .w = 4},
                             .filter = {.id = id, .parameters = {parameter}},
                             .border = border,
                             .border_const = 0.5,
                             .start = start},
                            filter, 11, 1e-9, parameter.second == 0.999 ? 1e-9 : 1e-12);
        }
    }
}

// The biquad cascade's second section at 0 taps, a first section whose zeros cancel its poles.
TEST(ReferenceGradient, IsTheDerivativeWhereZerosCancelPoles) {
    ContractFilter filter{.id = 4, .values = {1.0, -0.5, -0.2, 0.5, 0.2, 0.0, 0.0, 0.0, 0.3, -0.1}};
    FilterSpec spec{.id = 4};
    for (std::size_t i = 0; i < filter.values.size(); ++i)
        spec.parameters.emplace_back(filter_row(4)->parameters[i].name, filter.values[i]);
    for (const auto [border, start] : all_modes) {
        const FilterDesc desc{.shape = {.h = 5, .w = 6}, .filter = spec, .border = border, .start = start};
        expect_gradient(desc, filter, 5, 1e-9);
        expect_dot_product(desc, 5, 1e-12);
    }
}

TEST(ReferenceGradient, SumsOverPlanes) {
    FilterDesc desc{.shape = {.n = 2, .c = 2, .h = 4, .w = 5}, .filter = {.id = 3}};
    const auto x = random_plane(80, 1);
    const auto dy = random_plane(80, 2);
    std::vector<double> all(5);
    ASSERT_TRUE(reference::filter_gradient(desc, x, dy, all));
    desc.shape = {.h = 4, .w = 5};
    std::vector<double> sum(5);
    for (std::size_t p = 0; p < 4; ++p) {
        std::vector<double> one(5);
        ASSERT_TRUE(reference::filter_gradient(desc, std::span(x).subspan(20 * p, 20),
                                               std::span(dy).subspan(20 * p, 20), one));
        for (std::size_t k = 0; k < 5; ++k) sum[k] += one[k];
    }
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(all[k], sum[k], 1e-12 * (1 + std::abs(sum[k])));
}

TEST(ReferenceGradient, RefusesWhatDoesNotFit) {
    const FilterDesc desc{.shape = {.h = 2, .w = 2}, .filter = {.id = 3}};
    std::vector<double> x(4);
    std::vector<double> dp(4);
    const auto few = reference::filter_gradient(desc, x, x, dp);
    ASSERT_FALSE(few);
    EXPECT_EQ(few.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(few.error().message, "dp has 4 elements: filter 3 has 5 parameters");
    dp.resize(5);
    std::vector<double> five(5);
    const auto unlike = reference::filter_gradient(desc, x, five, dp);
    ASSERT_FALSE(unlike);
    EXPECT_EQ(unlike.error().code, ErrorCode::invalid_dimension);
    EXPECT_FALSE(reference::filter_adjoint(desc, x, five));
}

}  // namespace
