// SPDX-License-Identifier: MIT
#include "core/recipe/pool_gradient.h"

#include <gmock/gmock.h>

#include <random>

#include "core/recipe/pool_passes.h"
#include "core/recipe/seen.h"

namespace {

using namespace workbench;

Image noise(std::int64_t width, std::int64_t height) {
    Image image{
        .info = {}, .pixels = PlanarImage(width, height, 2, iir2d::ElementType::f32), .metadata = nullptr};
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> value(0.1F, 1.0F);
    for (int c = 0; c < 2; ++c) {
        for (float& v : image.pixels.plane_f32(c)) v = value(generator);
    }
    return image;
}

// What the window alone says is what the backward pass of the whole image says of that pixel.
TEST(WindowGradient, IsTheGradientOfOnePixel) {
    const Image image = noise(13, 11);
    const auto cpu = *iir2d::Device::cpu(1);
    for (const PoolOperation& pool :
         {PoolOperation{
              .op = iir2d::PoolOp::max, .window = {3, 4}, .stride = iir2d::Extent{2, 3}, .padding = {1, 2}},
          PoolOperation{
              .op = iir2d::PoolOp::avg, .window = {3, 3}, .padding = {1, 1}, .count_include_pad = true},
          PoolOperation{.op = iir2d::PoolOp::avg, .window = {3, 3}, .padding = {1, 1}, .ceil_mode = true},
          PoolOperation{
              .op = iir2d::PoolOp::avg, .window = {2, 5}, .dilation = {2, 2}, .divisor_override = -3},
          PoolOperation{.op = iir2d::PoolOp::lp, .window = {4, 4}, .ceil_mode = true, .p = 3.0},
          PoolOperation{.op = iir2d::PoolOp::adaptive_avg, .output = {4, 5}},
          PoolOperation{.op = iir2d::PoolOp::adaptive_max, .output = {3, 7}}}) {
        SCOPED_TRACE(describe({.what = pool}));
        const auto size = validate(Operation{.what = pool}, image.pixels.view().shape);
        ASSERT_TRUE(size);
        for (const auto& [x, y] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                                   {size->w - 1, size->h - 1},
                                   {size->w / 2, size->h / 2}}) {
            PlanarImage upstream(size->w, size->h, 2, iir2d::ElementType::f64);
            upstream.plane_f64(1)[static_cast<std::size_t>(y * size->w + x)] = 1.0;
            const auto passes =
                pool_passes(pool, image, {.element = iir2d::ElementType::f64, .upstream = &upstream}, cpu);
            ASSERT_TRUE(passes) << passes.error().message;
            const auto got = window_gradient(pool, image.pixels, 1, x, y);
            ASSERT_TRUE(got) << got.error().message;
            EXPECT_NEAR(got->value, passes->pooled.pixels.at(x, y, 1), 1e-12);
            double sum = 0;
            for (const SampleGradient& sample : got->samples) {
                EXPECT_NEAR(sample.weight, passes->gradient->pixels.at(sample.x, sample.y, 1), 1e-12);
                sum += sample.weight;
            }
            double whole = 0;
            for (const double v : passes->gradient->pixels.plane_f64(1)) whole += v;
            EXPECT_NEAR(sum, whole, 1e-12) << "there are others";
        }
    }
}

TEST(PoolPasses, BothPassesAreMet) {
    const Image image = noise(13, 11);
    const auto cpu = *iir2d::Device::cpu(1);
    const PoolOperation pool{.op = iir2d::PoolOp::max, .window = {2, 2}};
    const PlanarImage upstream(6, 5, 2, iir2d::ElementType::f32);
    SeenOperations& seen = SeenOperations::of_process();
    seen.begin();
    seen.take();
    const auto forward = pool_passes(pool, image, {}, cpu);
    const auto only_forward = seen.take();
    const auto both = pool_passes(pool, image, {.upstream = &upstream}, cpu);
    const auto met = seen.take();
    seen.end();
    ASSERT_TRUE(forward) << forward.error().message;
    ASSERT_TRUE(both) << both.error().message;
    ASSERT_EQ(only_forward.size(), 1U);
    EXPECT_FALSE(only_forward[0].backward || only_forward[0].places);
    ASSERT_EQ(met.size(), 2U);
    EXPECT_FALSE(met[0].backward);
    EXPECT_TRUE(met[0].places);
    EXPECT_TRUE(met[1].backward);
    EXPECT_FALSE(met[1].places) << "of a forward pass";
    EXPECT_EQ(met[1].shape, image.pixels.view().shape);
}

// Overlapping windows of several pixels, with gradients of both signs.
TEST(InputGradient, IsTheVectorJacobianProductOfThePaintedPixels) {
    const Image image = noise(13, 11);
    const auto cpu = *iir2d::Device::cpu(1);
    const std::vector<Upstream> painted{
        {.x = 1, .y = 1}, {.x = 2, .y = 1, .gradient = -0.5}, {.x = 3, .y = 2}};
    for (const PoolOperation& pool :
         {PoolOperation{.op = iir2d::PoolOp::max, .window = {4, 4}, .stride = iir2d::Extent{2, 2}},
          PoolOperation{.op = iir2d::PoolOp::avg, .window = {3, 3}, .stride = iir2d::Extent{1, 2}},
          PoolOperation{.op = iir2d::PoolOp::lp, .window = {4, 3}, .stride = iir2d::Extent{2, 1}, .p = 3.0},
          PoolOperation{.op = iir2d::PoolOp::adaptive_avg, .output = {4, 5}}}) {
        SCOPED_TRACE(describe({.what = pool}));
        const auto size = validate(Operation{.what = pool}, image.pixels.view().shape).value();
        PlanarImage upstream(size.w, size.h, 2, iir2d::ElementType::f64);
        for (const Upstream& pixel : painted)
            upstream.plane_f64(1)[static_cast<std::size_t>(pixel.y * size.w + pixel.x)] = pixel.gradient;
        const auto passes =
            pool_passes(pool, image, {.element = iir2d::ElementType::f64, .upstream = &upstream}, cpu);
        ASSERT_TRUE(passes) << passes.error().message;
        const auto got = input_gradient(pool, image.pixels, 1, painted);
        ASSERT_TRUE(got) << got.error().message;
        PlanarImage sums(13, 11, 1, iir2d::ElementType::f64);
        for (const SampleGradient& sample : *got)
            sums.plane_f64(0)[static_cast<std::size_t>(sample.y * 13 + sample.x)] = sample.weight;
        for (std::size_t i = 0; i < 13 * 11; ++i)
            EXPECT_NEAR(sums.plane_f64(0)[i], passes->gradient->pixels.plane_f64(1)[i], 1e-12) << i;
    }
    EXPECT_FALSE(input_gradient({}, image.pixels, 0, std::vector<Upstream>{{.x = 6, .y = 0}}));
}

TEST(InputGradient, IsRefusedWhereItWouldTakeTooLong) {
    const PoolOperation pool{.op = iir2d::PoolOp::avg, .window = {65, 65}, .stride = iir2d::Extent{1, 1}};
    const PlanarImage picture(200, 200, 1, iir2d::ElementType::f32);
    std::vector<Upstream> painted;
    for (std::int64_t i = 0; i < 64; ++i) painted.push_back({.x = i, .y = i});
    const auto refused = input_gradient(pool, picture, 0, painted);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("paint fewer"), std::string::npos) << refused.error().message;
    painted.resize(4);
    EXPECT_TRUE(input_gradient(pool, picture, 0, painted));
}

TEST(PoolingToLookAt, IsTheSelectedOneOrTheLast) {
    const Operation filter{.what = FilterOperation{}};
    const Operation pool{.what = PoolOperation{}};
    const Operation off{.enabled = false, .what = PoolOperation{}};
    const Recipe recipe{.keep_alpha = true, .operations = {pool, filter, off, pool, filter}};
    EXPECT_EQ(pooling_to_look_at(recipe, 0), 0);
    EXPECT_EQ(pooling_to_look_at(recipe, 3), 3);
    for (const int selected : {-1, 1, 2, 4, 9})
        EXPECT_EQ(pooling_to_look_at(recipe, selected), 3) << selected;
    EXPECT_EQ(pooling_to_look_at({.operations = {filter, off}}, 1), -1);
    EXPECT_EQ(before_operation(recipe, 3), (Recipe{.keep_alpha = true, .operations = {pool, filter}}));
    EXPECT_EQ(before_operation(recipe, 0).operations.size(), 0U);
}

TEST(WindowGradient, RefusesWhatCannotBeShown) {
    const Image image = noise(300, 300);
    const PoolOperation all{.op = iir2d::PoolOp::adaptive_avg};
    EXPECT_THAT(window_gradient(all, image.pixels, 0, 0, 0).error().message,
                testing::HasSubstr("300 x 300 samples"));
    const PoolOperation half;
    EXPECT_THAT(window_gradient(half, image.pixels, 0, 150, 0).error().message,
                testing::HasSubstr("no pixel (150, 0)"));
    EXPECT_FALSE(window_gradient(half, image.pixels, 2, 0, 0));
    EXPECT_FALSE(window_gradient({.op = iir2d::PoolOp::max, .window = {400, 400}}, image.pixels, 0, 0, 0));
    // Dilation may step over the whole image.
    const Image dot = noise(1, 1);
    const auto none = window_gradient(
        {.window = {2, 2}, .padding = {1, 1}, .dilation = {3, 3}, .ceil_mode = true}, dot.pixels, 0, 0, 0);
    if (none) {
        EXPECT_THAT(none->samples, testing::SizeIs(testing::Le(1)));
    }
}

}  // namespace
