// SPDX-License-Identifier: MIT
// Powers in vectors against those of the C library, at every number of values that vectors are left over of.
#include "kernels/pool/powers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

using iir2d::pool::make_norm_gradients;
using iir2d::pool::make_norm_shares;
using iir2d::pool::raise;
using iir2d::pool::take_roots;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Of all bits that positive numbers have.
std::vector<float> numbers(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<float> x(count);
    for (float& v : x) v = std::bit_cast<float>(static_cast<std::uint32_t>(1U + generator() % 0x7F7FFFFFU));
    return x;
}

TEST(Powers, AreThoseOfTheCLibrary) {
    for (const double exponent : {0.0625, 0.5, 1.5, 2.5, 6.0, -0.5, -5.0, 20.0}) {
        for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 17U, 500U}) {
            const auto x = numbers(count, static_cast<unsigned>(count));
            std::vector<double> y(count);
            raise(exponent, x.data(), static_cast<std::int64_t>(count), y.data());
            for (std::size_t i = 0; i < count; ++i) {
                const double expected = std::pow(static_cast<double>(x[i]), exponent);
                if (expected < 1e-300 || expected > 1e300) continue;
                ASSERT_LE(std::abs(y[i] - expected), 1e-11 * std::max(1.0, std::abs(exponent)) * expected)
                    << x[i] << " to " << exponent;
            }
            if (exponent < 0.0) continue;
            std::vector<float> roots(count);
            take_roots(1.0 / exponent, 1e-290, y.data(), static_cast<std::int64_t>(count), roots.data());
            for (std::size_t i = 0; i < count; ++i) {
                if (y[i] < 1e-289 || y[i] > 1e300) continue;
                ASSERT_LE(std::abs(roots[i] - x[i]), 1e-7F * x[i] + 2e-45F) << x[i] << " to " << exponent;
            }
        }
    }
}

TEST(Powers, OfZeroInfinityAndNaN) {
    const std::vector<float> x{0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1.0F, -1.0F};
    std::vector<double> y(x.size());
    raise(1.5, x.data(), 7, y.data());
    EXPECT_EQ(y[0], 0.0);
    EXPECT_EQ(y[1], 0.0);
    EXPECT_EQ(y[2], infinity);
    EXPECT_EQ(y[3], infinity);
    EXPECT_TRUE(std::isnan(y[4]));
    EXPECT_EQ(y[5], 1.0);
    EXPECT_EQ(y[6], 1.0);
    raise(-0.5, x.data(), 7, y.data());
    EXPECT_EQ(y[0], infinity);
    EXPECT_EQ(y[2], 0.0);
    EXPECT_TRUE(std::isnan(y[4]));
    // What cannot be trusted is NaN.
    const std::vector<double> sums{0.0, 1e-280, 4.0, infinity, NAN};
    std::vector<float> roots(sums.size());
    EXPECT_FALSE(take_roots(0.5, 1e-277, sums.data(), 5, roots.data()));
    for (const std::size_t i : {0U, 1U, 3U, 4U}) EXPECT_TRUE(std::isnan(roots[i])) << i;
    EXPECT_EQ(roots[2], 2.0F);
    EXPECT_TRUE(take_roots(0.5, 0.0, sums.data(), 3, roots.data()));
    EXPECT_EQ(roots[0], 0.0F);
    std::vector<double> in_place(sums);
    EXPECT_FALSE(take_roots(0.5, 0.0, in_place.data(), 5, in_place.data()));
    EXPECT_EQ(in_place[2], 2.0);
    EXPECT_TRUE(std::isnan(in_place[3]));
}

TEST(Powers, GradientsOfNorms) {
    for (const double p : {0.5, 1.0, 1.5, 2.0, 6.0}) {
        for (const std::int64_t count : {1, 3, 8, 13}) {
            const auto n = static_cast<std::size_t>(count);
            const std::vector<float> dy(n, 3.0F);
            const std::vector<float> y(n, 2.0F);
            std::vector<float> x(n, -0.5F);
            x[n / 2] = 0.0F;
            std::vector<double> shares(n);
            std::vector<double> wide(n);
            std::vector<float> dx(n);
            make_norm_shares(p, dy.data(), y.data(), count, shares.data());
            make_norm_gradients(p, x.data(), shares.data(), count, dx.data());
            make_norm_gradients(p, x.data(), shares.data(), count, wide.data());
            for (std::size_t i = 0; i < n; ++i) {
                const double expected = i == n / 2 ? 0.0 : -3.0 * std::pow(0.25, p - 1.0);
                EXPECT_NEAR(wide[i], expected, 1e-10 * std::abs(expected)) << p << " at " << i;
                EXPECT_EQ(dx[i], static_cast<float>(wide[i])) << p << " at " << i;
            }
        }
    }
}

}  // namespace
