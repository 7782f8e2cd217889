// SPDX-License-Identifier: MIT
#include "core/recipe/argmax_mask.h"

#include <gmock/gmock.h>

#include <array>
#include <bit>

#include "core/recipe/pool_gradient.h"

namespace {

using namespace workbench;

// Two channels: rising to the right and down, and falling.
PlanarImage slopes(std::int64_t width, std::int64_t height) {
    PlanarImage image(width, height, 2, iir2d::ElementType::f32);
    for (std::int64_t i = 0; i < width * height; ++i) {
        image.plane_f32(0)[static_cast<std::size_t>(i)] = static_cast<float>(i);
        image.plane_f32(1)[static_cast<std::size_t>(i)] = static_cast<float>(-i);
    }
    return image;
}

TEST(ArgmaxMask, HasTheSamplesWithAGradient) {
    const PlanarImage image = slopes(7, 5);
    const auto cpu = *iir2d::Device::cpu(1);
    constexpr std::array both{0, 1};
    for (const PoolOperation& pool :
         {PoolOperation{}, PoolOperation{.window = {3, 3}, .stride = iir2d::Extent{2, 2}, .padding = {1, 1}},
          PoolOperation{.op = iir2d::PoolOp::adaptive_max, .output = {2, 3}}}) {
        SCOPED_TRACE(describe({.what = pool}));
        const auto found = argmax_mask(pool, image, both, cpu);
        ASSERT_TRUE(found) << found.error().message;
        const auto size = validate(Operation{.what = pool}, image.view().shape).value();
        std::vector<int> wanted(35, 0);
        for (int c = 0; c < 2; ++c) {
            for (std::int64_t y = 0; y < size.h; ++y) {
                for (std::int64_t x = 0; x < size.w; ++x) {
                    const WindowGradients one = window_gradients(pool, image, c, x, y).value();
                    for (const SampleGradient& sample : one.samples) {
                        if (sample.weight > 0)
                            wanted[static_cast<std::size_t>(sample.y * 7 + sample.x)] |= 1 << c;
                    }
                }
            }
        }
        int count = 0;
        for (std::int64_t i = 0; i < 35; ++i) {
            EXPECT_EQ(found->at(i % 7, i / 7), wanted[static_cast<std::size_t>(i)]) << i;
            count += std::popcount(static_cast<unsigned>(wanted[static_cast<std::size_t>(i)]));
        }
        EXPECT_NEAR(found->share(), count / 70.0, 1e-7);
    }
}

TEST(ArgmaxMask, LevelsAreSharesOfSquares) {
    const auto found = argmax_mask({}, slopes(8, 4), std::array{0}, *iir2d::Device::cpu(1));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->levels().size(), 3U);  // 4x2, 2x1, 1x1
    EXPECT_EQ(found->levels()[0].width, 4);
    EXPECT_EQ(found->levels()[0].height, 2);
    EXPECT_THAT(found->levels()[0].shares, testing::Each(0.25F));
    EXPECT_THAT(found->levels()[2].shares, testing::ElementsAre(0.25F));
    EXPECT_DOUBLE_EQ(found->share(), 0.25);
}

TEST(ArgmaxMask, NeedsAMaximum) {
    const auto cpu = *iir2d::Device::cpu(1);
    EXPECT_FALSE(argmax_mask({.op = iir2d::PoolOp::avg}, slopes(8, 4), std::array{0}, cpu));
    EXPECT_FALSE(argmax_mask({}, slopes(8, 4), {}, cpu));
    EXPECT_FALSE(argmax_mask({.window = {9, 9}}, slopes(8, 4), std::array{0}, cpu));
}

}  // namespace
