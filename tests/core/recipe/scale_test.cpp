// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/core/recipe/recipe_testing.h"

namespace workbench {
namespace {

FilterOperation filter_of(const Recipe& recipe, std::size_t index = 0) {
    return std::get<FilterOperation>(recipe.operations.at(index).what);
}

PoolOperation pool_of(const Recipe& recipe, std::size_t index = 0) {
    return std::get<PoolOperation>(recipe.operations.at(index).what);
}

double gain_of(const FilterOperation& operation) {
    return iir2d::dc_gain(iir2d::make_filter(filter_spec(operation))->horizontal);
}

// A picture as photographs are: large shapes, edges, some fine detail and noise.
PlanarImage scene(std::int64_t width, std::int64_t height) {
    PlanarImage image = random_image(width, height, 2);
    for (int c = 0; c < 2; ++c) {
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                float& sample = image.plane_f32(c)[static_cast<std::size_t>(y * width + x)];
                const double u = static_cast<double>(x) / static_cast<double>(width);
                const double v = static_cast<double>(y) / static_cast<double>(height);
                const bool disc = std::hypot(u - 0.4, v - 0.6) < 0.25;
                const double wave = std::sin(20 * std::numbers::pi * u * (1 + c)) * std::cos(9 * v);
                sample = static_cast<float>(0.2 * sample + 0.3 * v + 0.15 * wave + (disc ? 0.4 : 0.1));
            }
        }
    }
    return image;
}

struct Agreement {
    double rms = 0;     // downsampled result against result of the downsampled
    double change = 0;  // what the recipe did to the downsampled picture
};

Agreement agreement(const Recipe& recipe, std::int64_t limit) {
    const PlanarImage full = scene(640, 480);
    const Proxy proxy = make_proxy(full, limit, limit);
    const auto small = apply(scaled(recipe, proxy.factor, std::as_const(proxy).pixels.view().shape),
                             proxy.pixels, -1, cpu());
    const auto exact = apply(recipe, full, -1, cpu());
    EXPECT_TRUE(small) << small.error().message;
    EXPECT_TRUE(exact) << exact.error().message;
    const Proxy shrunk = make_proxy(*exact, small->width(), small->height());
    EXPECT_EQ(shrunk.pixels.width(), small->width());
    EXPECT_EQ(shrunk.pixels.height(), small->height());
    return {rms_difference(*small, shrunk.pixels),
            small->width() == proxy.pixels.width() ? rms_difference(*small, proxy.pixels) : 1.0};
}

TEST(RecipeScaled, FactorOneAndNonsenseGiveTheRecipeItself) {
    const Recipe recipe{
        .name = "n", .keep_alpha = true, .operations = {filter(1), pool(iir2d::PoolOp::max, {4, 4})}};
    for (const double factor : {1.0, 0.0, -2.0, std::nan(""), static_cast<double>(INFINITY)}) {
        EXPECT_EQ(scaled(recipe, factor), recipe) << factor;
    }
    EXPECT_EQ(scaled(recipe, 2.0).name, "n");
    EXPECT_TRUE(scaled(recipe, 2.0).keep_alpha);
}

TEST(RecipeScaled, ParametersChangeAsTheHeaderSays) {
    // The same delay: 0.75 / 0.25 = 3 pixels are 1.5 of the proxy's, and 0.6 / 0.4 = 1.5.
    EXPECT_NEAR(filter_of(scaled({.operations = {filter(1, {{"alpha", 0.75}})}}, 2)).parameters.at("alpha"),
                0.6, 1e-12);
    EXPECT_NEAR(filter_of(scaled({.operations = {filter(2)}}, 2)).parameters.at("a"), 0.6, 1e-12);
    EXPECT_NEAR(filter_of(scaled({.operations = {filter(7, {{"alpha", 0.0}})}}, 2)).parameters.at("alpha"),
                0.0, 1e-12);
    EXPECT_NEAR(filter_of(scaled({.operations = {filter(5)}}, 2)).parameters.at("alpha"), 0.36, 1e-12);
    EXPECT_NEAR(filter_of(scaled({.operations = {filter(6, {{"sigma", 20}})}}, 4)).parameters.at("sigma"), 5,
                1e-12);
    EXPECT_EQ(filter_of(scaled({.operations = {filter(6, {{"sigma", 0.4}})}}, 4)).parameters.at("sigma"),
              0.3);
}

TEST(RecipeScaled, BiquadPolesAreRaisedAndTheGainKept) {
    // Poles 0.9 e^(+-0.2i).
    const double r = 0.9;
    const double angle = 0.2;
    const Operation biquad = filter(3, {{"a1", 2 * r * std::cos(angle)}, {"a2", -r * r}, {"b0", 0.05}});
    const auto small = filter_of(scaled({.operations = {biquad}}, 3));
    EXPECT_NEAR(small.parameters.at("a2"), -std::pow(r, 6), 1e-12);
    EXPECT_NEAR(small.parameters.at("a1"), 2 * std::pow(r, 3) * std::cos(3 * angle), 1e-12);
    EXPECT_NEAR(gain_of(small), gain_of(std::get<FilterOperation>(biquad.what)), 1e-9);
    for (const int id : {3, 4, 8}) {
        for (const double factor : {1.5, 2.0, 7.3, 40.0}) {
            EXPECT_NEAR(gain_of(filter_of(scaled({.operations = {filter(id)}}, factor))),
                        gain_of(std::get<FilterOperation>(filter(id).what)), 1e-9);
        }
    }
}

// In [0, 1] units; half a step of an 8-bit picture is 0.002.
TEST(RecipeScaled, AProxyLooksLikeTheResult) {
    struct Case {
        Operation operation;
        double steady;     // the largest difference allowed
        double truncated;  // the same with edges that start from little
    };
    for (const std::int64_t limit : {320, 200, 150}) {
        for (auto [operation, steady, truncated] :
             {Case{filter(1, {{"alpha", 0.95}}), 0.006, 0.008}, Case{filter(2, {{"a", 0.9}}), 0.008, 0.01},
              Case{filter(5, {{"alpha", 0.95}}), 0.001, 0.005}, Case{filter(6, {{"sigma", 15}}), 0.001, 0.01},
              Case{filter(6, {{"sigma", 40}}), 0.001, 0.017}}) {
            const Agreement cold = agreement({.operations = {operation}}, limit);
            EXPECT_LT(cold.rms, truncated) << describe(operation) << " at " << limit;
            EXPECT_LT(cold.rms, 0.15 * cold.change) << describe(operation) << " at " << limit;
            std::get<FilterOperation>(operation.what).start = iir2d::Start::steady;
            const Agreement warm = agreement({.operations = {operation}}, limit);
            EXPECT_LT(warm.rms, steady) << describe(operation) << " at " << limit;
            EXPECT_LT(warm.rms, 0.12 * warm.change) << describe(operation) << " at " << limit;
        }
    }
}

TEST(RecipeScaled, AProxyOfPoolingShowsTheWholeImageAsBrightAsTheResult) {
    for (const std::int64_t limit : {320, 200}) {
        for (const Operation& operation : {pool(iir2d::PoolOp::avg, {8, 8}), pool(iir2d::PoolOp::avg, {2, 2}),
                                           pool(iir2d::PoolOp::lp, {8, 8}), pool(iir2d::PoolOp::lp, {2, 2}),
                                           pool(iir2d::PoolOp::max, {16, 16})}) {
            const bool is_max = std::get<PoolOperation>(operation.what).op == iir2d::PoolOp::max;
            const PlanarImage full = scene(640, 480);
            const Proxy proxy = make_proxy(full, limit, limit);
            const auto small =
                apply(scaled({.operations = {operation}}, proxy.factor), proxy.pixels, -1, cpu());
            const auto exact = apply({.operations = {operation}}, full, -1, cpu());
            ASSERT_TRUE(small && exact);
            const auto seen = channel_statistics(*small);
            const auto meant = channel_statistics(*exact);
            for (std::size_t c = 0; c < seen.size(); ++c) {
                // The maximum over averages of noise lies below the maximum over its samples.
                EXPECT_NEAR(seen[c].mean / meant[c].mean, 1.0, is_max ? 0.2 : 0.05)
                    << describe(operation) << " at " << limit;
            }
        }
    }
    // A sum: the divisor stands for what the window no longer adds up.
    const Operation sum{.what =
                            PoolOperation{.op = iir2d::PoolOp::avg, .window = {4, 4}, .divisor_override = 1}};
    const PlanarImage full = scene(640, 480);
    const Proxy proxy = make_proxy(full, 160, 160);
    const auto small = apply(scaled({.operations = {sum}}, proxy.factor), proxy.pixels, -1, cpu());
    const auto exact = apply({.operations = {sum}}, full, -1, cpu());
    ASSERT_TRUE(small && exact);
    EXPECT_NEAR(channel_statistics(*small)[0].mean / channel_statistics(*exact)[0].mean, 1.0, 0.02);
}

TEST(RecipeScaled, AfterPoolingFiltersSeeWhatIsLeftOfTheFactor) {
    // Stride 2 at factor 4: the proxy is not pooled any further, and one of its pixels is two of the
    // result's.
    const Recipe two =
        scaled({.operations = {pool(iir2d::PoolOp::max, {2, 2}), filter(6, {{"sigma", 8}})}}, 4);
    EXPECT_EQ(pool_of(two).window, (iir2d::Extent{1, 1}));
    EXPECT_EQ(pool_of(two).stride, (iir2d::Extent{1, 1}));
    EXPECT_NEAR(filter_of(two, 1).parameters.at("sigma"), 4, 1e-12);
    // Stride 8: both have the same pixels afterwards.
    const Recipe eight =
        scaled({.operations = {pool(iir2d::PoolOp::max, {8, 8}), filter(6, {{"sigma", 8}})}}, 4);
    EXPECT_EQ(pool_of(eight).window, (iir2d::Extent{2, 2}));
    EXPECT_NEAR(filter_of(eight, 1).parameters.at("sigma"), 8, 1e-12);
    const Agreement a =
        agreement({.operations = {pool(iir2d::PoolOp::avg, {2, 2}), filter(6, {{"sigma", 10}})}}, 160);
    EXPECT_LT(a.rms, 0.015);
}

TEST(RecipeScaled, AnAdaptiveOutputShrinksWithThePicture) {
    const PoolOperation pool{.op = iir2d::PoolOp::adaptive_avg, .output = {30, 100}};
    const Recipe small =
        scaled({.operations = {{.what = pool}, filter(6, {{"sigma", 8}})}}, 4, {.h = 40, .w = 60});
    EXPECT_EQ(std::get<PoolOperation>(small.operations[0].what).output, (iir2d::Extent{8, 25}));
    // 30 rows became 8, 100 columns 25: sigma by the mean of 3.75 and 4.
    EXPECT_NEAR(std::get<FilterOperation>(small.operations[1].what).parameters.at("sigma"),
                8 / std::sqrt(15.0), 1e-12);
    const Recipe least = scaled({.operations = {{.what = pool}}}, 1000, {.h = 1, .w = 1});
    EXPECT_EQ(std::get<PoolOperation>(least.operations[0].what).output, (iir2d::Extent{1, 1}));
}

TEST(RecipeScaled, WindowsFitTheProxy) {
    // A window of the whole image, on proxies whose sides were rounded down.
    for (std::int64_t limit = 1; limit < 60; ++limit) {
        const PlanarImage full = random_image(61, 47, 1);
        const Proxy proxy = make_proxy(full, limit, limit);
        for (const Operation& operation :
             {pool(iir2d::PoolOp::max, {47, 61}), Operation{.what = PoolOperation{.op = iir2d::PoolOp::avg,
                                                                    .window = {9, 9},
                                                                    .stride = iir2d::Extent{1, 1},
                                                                    .padding = {4, 4},
                                                                    .dilation = {6, 6}}}}) {
            const Recipe recipe{
                .operations = {filter(1), operation, filter(6), pool(iir2d::PoolOp::max, {1, 1})}};
            ASSERT_TRUE(validate(recipe, {1, 1, 47, 61}));
            const auto shape = std::as_const(proxy).pixels.view().shape;
            const auto small = validate(scaled(recipe, proxy.factor, shape), shape);
            EXPECT_TRUE(small) << limit << ": " << small.error().message;
        }
    }
}

// Reproducible values, spread over the corners of their ranges.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : m_seed(seed) {}
    std::uint64_t below(std::uint64_t n) { return splitmix64(m_seed, m_index++) % n; }
    double unit() { return static_cast<double>(below(1 << 24)) / (1 << 24); }
    double between(double low, double high) {
        switch (below(6)) {
            case 0:
                return low;
            case 1:
                return high;
            case 2:
                return std::clamp(low + (high - low) * 1e-9 * unit(), low, high);
            default:
                return low + (high - low) * unit();
        }
    }

  private:
    std::uint64_t m_seed;
    std::uint64_t m_index = 0;
};

Operation random_operation(Dice& dice) {
    if (dice.below(2) == 0) {
        FilterOperation f{.filter_id = static_cast<int>(1 + dice.below(iir2d::filter_table().size())),
                          .precision = static_cast<iir2d::Precision>(dice.below(3)),
                          .normalise_gain = dice.below(2) == 0};
        const auto parameters = iir2d::filter_row(f.filter_id)->parameters;
        for (const auto& p : parameters) {
            double value = dice.between(p.minimum, p.maximum);
            if (p.is_switch) value = static_cast<double>(dice.below(2));
            if (p.name.ends_with("a1")) value /= 2;  // mostly stable ones
            if (p.name.ends_with("a2")) value /= 4;
            if (dice.below(2) == 0) f.parameters[std::string(p.name)] = value;
        }
        return {.enabled = dice.below(8) != 0, .what = f};
    }
    const auto length = [&] {
        return static_cast<std::int64_t>(1 + dice.below(dice.below(4) == 0 ? 3000 : 9));
    };
    PoolOperation p{.op = static_cast<iir2d::PoolOp>(dice.below(3)),
                    .window = {length(), length()},
                    .dilation = {length(), length()},
                    .ceil_mode = dice.below(2) == 0,
                    .p = dice.between(0.01, 40)};
    if (dice.below(2) == 0) p.stride = iir2d::Extent{length(), length()};
    if (p.op != iir2d::PoolOp::lp) p.padding = {p.window.h / 2, p.window.w / 3};
    if (dice.below(3) == 0) p.divisor_override = static_cast<std::int64_t>(1 + dice.below(50));
    return {.enabled = dice.below(8) != 0, .what = p};
}

TEST(RecipeScaled, AValidRecipeGivesAValidOne) {
    int valid = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        Dice dice(seed);
        Recipe recipe;
        for (std::uint64_t i = 0; i < 1 + dice.below(4); ++i)
            recipe.operations.push_back(random_operation(dice));
        const double factor = dice.below(4) == 0 ? dice.between(0.1, 1) : 1 + 60 * dice.unit() * dice.unit();
        const iir2d::Shape full{1, 1, static_cast<std::int64_t>(1 + dice.below(5000)),
                                static_cast<std::int64_t>(1 + dice.below(5000))};
        if (!validate(recipe, {.w = 0})) continue;
        const auto alone = validate(scaled(recipe, factor), {.w = 0});
        EXPECT_TRUE(alone) << seed << ": " << alone.error().message;
        if (!validate(recipe, full)) continue;
        ++valid;
        const auto side = [&](std::int64_t n) {
            return std::max<std::int64_t>(1, std::llround(static_cast<double>(n) / factor));
        };
        const iir2d::Shape proxy{1, 1, side(full.h), side(full.w)};
        const auto fitted = validate(scaled(recipe, factor, proxy), proxy);
        EXPECT_TRUE(fitted) << seed << ": " << fitted.error().message;
    }
    EXPECT_GT(valid, 1000);
}

}  // namespace
}  // namespace workbench
