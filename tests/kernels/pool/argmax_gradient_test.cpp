// SPDX-License-Identifier: MIT
// Gradients of maxima that elements take in vectors against windows that add to elements one after the other:
// equal bits.
#include "kernels/pool/argmax_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/pool/fold.h"
#include "kernels/support/cpu_target.h"

namespace {

using namespace iir2d::pool;

// Of all tests of the program: no plan is made that would choose IIR2D_CPU_TARGET.
class ChosenTarget : public ::testing::Environment {
    void SetUp() override {
        if (const auto target = iir2d::support::cpu_target(); !target) GTEST_SKIP() << target.error().message;
    }
};
const auto* const chosen_target = ::testing::AddGlobalTestEnvironment(new ChosenTarget);

TEST(ArgmaxGradient, PlacesCountFromARowAndOthersAreNone) {
    constexpr std::int64_t from = (std::int64_t{1} << 40) + 12;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::int64_t> kinds{from,
                                          from + 7,
                                          from + most,
                                          from + most + 1,
                                          from - 1,
                                          from + (std::int64_t{1} << 32U),
                                          -1,
                                          std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::max()};
    const std::vector<std::int32_t> expected{0,        7,        most,     no_place, no_place,
                                             no_place, no_place, no_place, no_place};
    for (std::int64_t count = 1; count <= 70; ++count) {
        std::vector<std::int64_t> argmax;
        for (std::int64_t o = 0; o < count; ++o) argmax.push_back(kinds[static_cast<std::size_t>(o * 5 % 9)]);
        std::vector<std::int32_t> places(argmax.size() + 1, 99);
        place_argmax(argmax.data(), count, from, places.data());
        for (std::int64_t o = 0; o < count; ++o) {
            EXPECT_EQ(places[static_cast<std::size_t>(o)], expected[static_cast<std::size_t>(o * 5 % 9)])
                << o << " of " << count;
        }
        EXPECT_EQ(places.back(), 99);  // nothing behind the last
    }
}

// A row of windows in memory of its own, with no_place and gradients that must not count around it.
struct Row {
    std::vector<std::int32_t> places;
    std::vector<float> dy;
    std::int64_t before;

    Row(const AxisWindows& x, std::mt19937& random, std::int32_t first)
        : places(static_cast<std::size_t>(x.window + std::max(x.out, (x.in + x.padding) / 2) + 3 * row_slack),
                 no_place),
          dy(places.size(), 1e6F),
          before(x.window) {
        std::uniform_real_distribution<float> gradient(-1, 1);
        for (std::int64_t o = 0; o < x.out; ++o) {
            const Taps taps = x.taps(o);
            const auto at = static_cast<std::size_t>(before + o);
            const auto tap = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(taps.count));
            // Some in other rows of elements.
            places[at] = first + static_cast<std::int32_t>(taps.first + tap + (random() % 4 == 0 ? x.in : 0));
            dy[at] = gradient(random) * static_cast<float>(1 << (random() % 20));
        }
    }
    PlacedWindows windows(std::int32_t first) const {
        return {places.data() + before, dy.data() + before, first};
    }
};

// Compares elements that take from `count` rows of windows with windows that add to them one by one.
void compare(const AxisWindows& x, std::int64_t count, std::mt19937& random, int& cases) {
    std::vector<Row> rows;
    std::vector<PlacedWindows> placed;
    std::vector<float> expected(static_cast<std::size_t>(x.in), 0.0F);
    for (std::int64_t r = 0; r < count; ++r) {
        const auto first = static_cast<std::int32_t>(r * x.in);
        placed.push_back(rows.emplace_back(x, random, first).windows(first));
        for (std::int64_t o = 0; o < x.out; ++o) {
            const std::int64_t i = placed.back().places[o] - first;
            if (i >= 0 && i < x.in) expected[static_cast<std::size_t>(i)] += placed.back().dy[o];
        }
    }
    // All at once, and in two parts.
    for (const std::int64_t cut : {x.in, x.in / 2}) {
        std::vector<float> made(static_cast<std::size_t>(x.in + 4 * row_slack), 77.0F);
        float* const to = made.data() + row_slack - 1;
        take_gradients(x, {0, cut}, placed, {}, to);
        take_gradients(x, {cut, x.in}, placed, {}, to);
        ASSERT_EQ(std::memcmp(to, expected.data(), expected.size() * sizeof(float)), 0)
            << x.window << " columns of " << x.in << ", padding " << x.padding << ", " << x.out
            << " windows, " << count << " rows, cut at " << cut;
        // No more is written than is allowed.
        ASSERT_EQ(to[-2], 77.0F);
        ASSERT_EQ(to[x.in + 2 * row_slack], 77.0F);
        ++cases;
    }
}

TEST(ArgmaxGradient, ElementsTakeWhatWindowsWouldAdd) {
    std::mt19937 random(11);
    int cases = 0;
    for (const std::int64_t window : {2, 3}) {
        for (std::int64_t in = window; in <= 150; in += in < 70 ? 1 : 13) {
            for (std::int64_t padding = 0; padding <= 1; ++padding) {
                AxisWindows x{.in = in, .window = window, .stride = 2, .padding = padding};
                const std::int64_t most = (in + 2 * padding - window) / 2 + 1;
                for (x.out = std::max<std::int64_t>(1, most - 1); x.out <= most; ++x.out) {
                    for (std::int64_t count = 0; count <= 3; ++count) compare(x, count, random, cases);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
    EXPECT_GT(cases, 3000);
    const std::string target = *iir2d::support::cpu_target();
    EXPECT_EQ(gradient_lanes(), target.starts_with("AVX3") ? 16 : target == "AVX2" ? 8 : 4) << target;
}

}  // namespace
