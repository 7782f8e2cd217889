// SPDX-License-Identifier: MIT
#include "core/benchmark/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace workbench {
namespace {

TEST(Splitmix64, GivesThePublishedSequence) {
    // The first outputs for the seed 1234567, as published with the generator's reference code.
    EXPECT_EQ(splitmix64(1234567, 0), 6457827717110365317ULL);
    EXPECT_EQ(splitmix64(1234567, 1), 3203168211198807973ULL);
    EXPECT_EQ(splitmix64(1234567, 2), 9817491932198370423ULL);
    EXPECT_EQ(splitmix64(1234567, 3), 4593380528125082431ULL);
    EXPECT_EQ(splitmix64(1234567, 4), 16408922859458223821ULL);
}

TEST(SyntheticPlane, IsInRowOrderAndTheSameInBothTypes) {
    const PlanarImage single = synthetic_plane(7, 3, iir2d::ElementType::f32, 42);
    const PlanarImage wide = synthetic_plane(7, 3, iir2d::ElementType::f64, 42);
    ASSERT_EQ(single.channels(), 1);
    for (std::int64_t y = 0; y < 3; ++y) {
        for (std::int64_t x = 0; x < 7; ++x) {
            const auto index = static_cast<std::uint64_t>(y * 7 + x);
            const double expected = static_cast<double>(splitmix64(42, index) >> 40) / 16777216.0;
            EXPECT_EQ(single.at(x, y, 0), expected);
            EXPECT_EQ(wide.at(x, y, 0), expected);
        }
    }
}

TEST(SyntheticPlane, IsUniformInTheUnitInterval) {
    const PlanarImage plane = synthetic_plane(256, 256, iir2d::ElementType::f32, 1);
    const auto samples = plane.plane_f32(0);
    const auto [low, high] = std::ranges::minmax(samples);
    EXPECT_GE(low, 0.0F);
    EXPECT_LT(high, 1.0F);
    double sum = 0;
    for (const float v : samples) sum += v;
    EXPECT_NEAR(sum / 65536, 0.5, 0.005);
}

TEST(SyntheticPlane, DependsOnTheSeed) {
    EXPECT_NE(pixel_hash(synthetic_plane(8, 8, iir2d::ElementType::f32, 1)),
              pixel_hash(synthetic_plane(8, 8, iir2d::ElementType::f32, 2)));
}

}  // namespace
}  // namespace workbench
