// SPDX-License-Identifier: MIT
// The 16-bit types, all of them, against their definition: sign, exponent and fraction as a sum of powers of
// two, and the nearest of all values by search.
#include "kernels/support/element.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using iir2d::BFloat16;
using iir2d::Float16;
namespace element = iir2d::element;

struct Format {
    int fraction_bits;
    int bias;
};
constexpr Format binary16{10, 15};
constexpr Format bfloat16{7, 127};

double value_of(std::uint16_t bits, const Format& format) {
    const int exponent_bits = 15 - format.fraction_bits;
    const int exponent = bits >> format.fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << format.fraction_bits) - 1);
    const double sign = bits >> 15 != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    const int shift = std::max(exponent, 1) - format.bias - format.fraction_bits;
    return sign * std::ldexp(fraction + (exponent > 0 ? 1 << format.fraction_bits : 0), shift);
}

// The finite values that are not negative, in order: number i has the bits i.
std::vector<double> magnitudes(const Format& format) {
    std::vector<double> values;
    for (std::uint16_t bits = 0; std::isfinite(value_of(bits, format)); ++bits)
        values.push_back(value_of(bits, format));
    return values;
}

std::uint16_t nearest(double value, const Format& format, const std::vector<double>& all) {
    const double magnitude = std::abs(value);
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const auto above = static_cast<std::size_t>(std::ranges::lower_bound(all, magnitude) - all.begin());
    // Beyond the last there is one more that has no room: infinity takes its place.
    const auto at = [&](std::size_t i) { return i < all.size() ? all[i] : std::ldexp(1.0, format.bias + 1); };
    std::size_t best = std::min(above, all.size());
    if (best > 0) {
        const double down = magnitude - at(best - 1);
        const double up = at(best) - magnitude;
        if (down < up || (down == up && (best - 1) % 2 == 0)) --best;
    }
    return static_cast<std::uint16_t>(sign | best);
}

template <class T>
void check_all(const Format& format) {
    const auto all = magnitudes(format);
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const T stored{static_cast<std::uint16_t>(bits)};
        const double value = element::load<double>(stored);
        const double expected = value_of(stored.bits, format);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(value)) << bits;
            EXPECT_TRUE(std::isnan(value_of(element::store<T>(value).bits, format))) << bits;
            continue;
        }
        ASSERT_EQ(value, expected) << bits;
        ASSERT_EQ(std::signbit(value), bits >= 0x8000);
        ASSERT_EQ(element::store<T>(value).bits, bits);
        ASSERT_EQ(element::store<T>(static_cast<float>(value)).bits, bits);
    }
    const auto check = [&](double value) {
        ASSERT_EQ(element::store<T>(value).bits, nearest(value, format, all)) << std::hexfloat << value;
        const auto narrow = static_cast<float>(value);
        ASSERT_EQ(element::store<T>(narrow).bits, nearest(static_cast<double>(narrow), format, all))
            << std::hexfloat << narrow;
    };
    // Halfway between neighbours, a little to either side (less than a float tells), and anywhere.
    for (std::size_t i = 0; i + 1 < all.size(); i += 3) {
        const double halfway = (all[i] + all[i + 1]) / 2;
        for (const double value : {halfway, std::nextafter(halfway, 0.0), std::nextafter(halfway, 1e300)}) {
            check(value);
            check(-value);
        }
    }
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> exponent(-180, 140);
    for (int i = 0; i < 100000; ++i) check(std::exp2(exponent(generator)) * (i % 2 == 0 ? 1 : -1));
    for (const double value : {0.0, -0.0, 65519.99, 65520.0, 65536.0, 3.3895e38, 3.3961e38, 1e300, 0x1p-25,
                               0x1.8p-25, 0x1p-134, 1e-320})
        check(value);
    EXPECT_EQ(element::load<double>(element::store<T>(std::numeric_limits<double>::infinity())),
              std::numeric_limits<double>::infinity());
    EXPECT_EQ(element::load<float>(element::store<T>(-std::numeric_limits<float>::infinity())),
              -std::numeric_limits<float>::infinity());
}

TEST(Element, Float16IsBinary16) {
    check_all<Float16>(binary16);
}

TEST(Element, BFloat16IsTheUpperHalfOfAFloat) {
    check_all<BFloat16>(bfloat16);
}

}  // namespace
