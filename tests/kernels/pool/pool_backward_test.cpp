// SPDX-License-Identifier: MIT
// Backward passes: against the double reference over a matrix of descriptors, the reference itself against
// finite differences and against sums by hand, the same bits on every run, and what is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "iir2d/config.h"
#include "tests/kernels/array_at_offset.h"
#include "tests/kernels/pool/pool_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

struct Gradients {
    std::vector<float> dx;
    std::vector<double> expected;
    std::vector<double> magnitudes;  // what rounding is relative to: the sum of magnitudes of what is summed
};

std::vector<double> wide(const std::vector<float>& values) {
    return {values.begin(), values.end()};
}

std::vector<float> run_backward(const PoolDesc& desc, const std::vector<float>& x,
                                const std::vector<float>& y, const std::vector<float>& dy,
                                std::span<const std::int64_t> argmax = {}, int threads = 1) {
    const auto plan = plan_on(cpu(threads), desc);
    EXPECT_TRUE(plan) << plan.error().message;
    std::vector<float> dx(x.size(), -12345.0F);
    const Shape output = plan->output_shape();
    const auto done = plan->backward(
        {x.data(), ElementType::f32, desc.shape}, {y.data(), ElementType::f32, output},
        {dy.data(), ElementType::f32, output}, {dx.data(), ElementType::f32, desc.shape}, argmax);
    EXPECT_TRUE(done) << done.error().message;
    return dx;
}

std::vector<double> reference_backward(const PoolDesc& desc, const std::vector<double>& x,
                                       const std::vector<double>& y, const std::vector<double>& dy) {
    std::vector<double> dx(x.size(), -12345.0);
    const auto done = reference::pool_backward(desc, x, y, dy, dx);
    EXPECT_TRUE(done) << done.error().message;
    return dx;
}

Gradients gradients(const PoolDesc& desc, const std::vector<float>& x, unsigned seed) {
    const Pooled forward = run(desc, x);
    const auto dy = uniform(forward.y.size(), -1.0F, 1.0F, seed);
    Gradients g;
    g.dx = run_backward(desc, x, forward.y, dy, forward.argmax);
    g.expected = reference_backward(desc, wide(x), wide(forward.y), wide(dy));
    std::vector<double> sizes = wide(dy);
    std::vector<double> positive = wide(x);
    for (double& v : sizes) v = std::abs(v);
    if (desc.op == PoolOp::lp) {
        for (double& v : positive) v = std::abs(v);
    }
    g.magnitudes = reference_backward(desc, positive, wide(forward.y), sizes);
    for (double& v : g.magnitudes) v = std::abs(v);
    return g;
}

std::vector<PoolDesc> matrix() {
    const Shape shapes[] = {{1, 1, 1, 1}, {1, 1, 1, 9}, {1, 1, 9, 1}, {2, 3, 7, 5}, {1, 1, 33, 40}};
    struct Windows {
        Extent window, stride, padding, dilation;
    };
    const Windows all[] = {
        {{2, 2}, {2, 2}, {0, 0}, {1, 1}}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}}, {{3, 2}, {1, 1}, {1, 0}, {1, 1}},
        {{1, 1}, {1, 1}, {0, 0}, {1, 1}}, {{2, 3}, {3, 1}, {0, 1}, {2, 1}}, {{5, 4}, {2, 3}, {2, 2}, {1, 2}},
        {{1, 1}, {3, 2}, {0, 0}, {1, 1}}, {{9, 7}, {1, 1}, {4, 3}, {1, 1}}, {{3, 3}, {2, 1}, {1, 1}, {3, 2}}};
    std::vector<PoolDesc> descs;
    const auto add = [&](PoolDesc desc) {
        if (reference::pool_output_shape(desc)) descs.push_back(desc);
    };
    for (const Shape& shape : shapes) {
        for (const Windows& w : all) {
            for (const bool ceil_mode : {false, true}) {
                PoolDesc desc{.shape = shape,
                              .window = w.window,
                              .stride = w.stride,
                              .padding = w.padding,
                              .dilation = w.dilation,
                              .ceil_mode = ceil_mode};
                add(desc);
                desc.op = PoolOp::avg;
                add(desc);
                desc.count_include_pad = true;
                add(desc);
                desc.count_include_pad = false;
                desc.divisor_override = -3;
                add(desc);
                desc.divisor_override.reset();
                desc.op = PoolOp::lp;
                desc.padding = {0, 0};
                for (const double p : {1.0, 2.0, 3.0, 0.5, 1.5, 6.0, 17.0}) {
                    desc.p = p;
                    add(desc);
                }
            }
        }
    }
    return descs;
}

TEST(PoolBackward, AgreesWithTheReferenceOverTheMatrix) {
    double worst = 0.0;
    int cases = 0;
    for (const PoolDesc& desc : matrix()) {
        for (unsigned seed = 1; seed <= 2; ++seed) {
            const std::size_t count = elements(desc.shape);
            // Ties and zeros, then a continuum.
            const auto x = seed == 1 ? with_ties(count, seed) : uniform(count, -2.0F, 2.0F, seed);
            const Gradients g = gradients(desc, x, seed + 7);
            ++cases;
            for (std::size_t i = 0; i < count; ++i) {
                const double error = std::abs(static_cast<double>(g.dx[i]) - g.expected[i]);
                ASSERT_LE(error, 2e-6 * g.magnitudes[i] + 1e-44)
                    << to_string(desc) << " at " << i << ": " << g.dx[i] << " for " << g.expected[i];
                if (g.magnitudes[i] > 1e-30) worst = std::max(worst, error / g.magnitudes[i]);
            }
        }
    }
    std::printf("%d backward cases, worst error %.3g of the magnitudes summed\n", cases, worst);
    EXPECT_GT(cases, 800);
}

// The reference's gradient of sum(dy * pool(x)) against its own differences.
TEST(PoolBackward, TheReferenceIsTheDerivative) {
    int compared = 0;
    for (PoolDesc desc : matrix()) {
        if (elements(desc.shape) > 300) continue;
        const auto stored = uniform(elements(desc.shape), -2.0F, 2.0F, 5);
        std::vector<double> x = wide(stored);
        // Away from 0, where a norm has no derivative.
        for (double& v : x) v += v < 0 ? -0.5 : 0.5;
        const auto output = elements(*reference::pool_output_shape(desc));
        std::vector<double> y(output);
        ASSERT_TRUE(reference::pool(desc, x, y));
        const auto dy = wide(uniform(output, -1.0F, 1.0F, 6));
        const auto dx = reference_backward(desc, x, y, dy);
        const auto loss = [&] {
            std::vector<double> at(output);
            EXPECT_TRUE(reference::pool(desc, x, at));
            double sum = 0;
            // Windows of nothing but padding have minus infinity as their maximum, and no gradient.
            for (std::size_t i = 0; i < output; ++i) sum += std::isinf(at[i]) ? 0.0 : at[i] * dy[i];
            return sum;
        };
        for (std::size_t i = 0; i < x.size(); i += 3) {
            const double step = 1e-6;
            const double here = x[i];
            x[i] = here + step;
            const double above = loss();
            x[i] = here - step;
            const double below = loss();
            x[i] = here;
            ASSERT_NEAR(dx[i], (above - below) / (2 * step), 2e-7 * std::max(1.0, std::abs(dx[i])))
                << to_string(desc) << " at " << i;
            ++compared;
        }
    }
    EXPECT_GT(compared, 5000);
}

// avg is linear, so its backward pass is its transpose: <dy, A x> = <A^T dy, x>.
TEST(PoolBackward, OfAvgIsItsTranspose) {
    for (const PoolDesc& desc : matrix()) {
        if (desc.op != PoolOp::avg) continue;
        const auto x = uniform(elements(desc.shape), -1.0F, 1.0F, 1);
        const Pooled forward = run(desc, x);
        const auto dy = uniform(forward.y.size(), -1.0F, 1.0F, 2);
        const auto dx = run_backward(desc, x, forward.y, dy);
        const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
            return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus{},
                                         [](float p, float q) { return double{p} * double{q}; });
        };
        const auto size = [](double sum, float v) { return sum + std::abs(double{v}); };
        const double scale = std::accumulate(dy.begin(), dy.end(), 1.0, size);
        ASSERT_NEAR(dot(dy, forward.y), dot(dx, x), 1e-6 * scale) << to_string(desc);
    }
}

TEST(PoolBackward, ByHand) {
    // 4 samples, windows of 2 beside each other.
    const std::vector<float> x{3.0F, -4.0F, 0.0F, 0.0F};
    const std::vector<float> dy{10.0F, 100.0F};
    const auto of = [&](PoolDesc desc) {
        desc.shape = {.h = 1, .w = 4};
        desc.window = {1, 2};
        const Pooled forward = run(desc, x);
        return run_backward(desc, x, forward.y, dy, forward.argmax);
    };
    using testing::ElementsAre;
    EXPECT_THAT(of({.op = PoolOp::max}), ElementsAre(10.0F, 0.0F, 100.0F, 0.0F)) << "the first of equals";
    EXPECT_THAT(of({.op = PoolOp::avg}), ElementsAre(5.0F, 5.0F, 50.0F, 50.0F));
    EXPECT_THAT(of({.op = PoolOp::avg, .divisor_override = 4}), ElementsAre(2.5F, 2.5F, 25.0F, 25.0F));
    EXPECT_THAT(of({.op = PoolOp::lp, .p = 1.0}), ElementsAre(10.0F, -10.0F, 0.0F, 0.0F));
    EXPECT_THAT(of({.op = PoolOp::lp, .p = 2.0}), ElementsAre(6.0F, -8.0F, 0.0F, 0.0F));
    // p = 1/2: y = (sqrt 3 + 2)^2, dx = dy * sgn(x) * sqrt(y / abs(x)).
    const auto half = of({.op = PoolOp::lp, .p = 0.5});
    const double root = std::sqrt(3.0) + 2.0;
    EXPECT_NEAR(half[0], 10 * root / std::sqrt(3.0), 1e-5);
    EXPECT_NEAR(half[1], -10 * root / 2, 1e-5);
    EXPECT_EQ(half[2], 0.0F);
}

TEST(PoolBackward, WhatNoWindowCoversIsZero) {
    const std::vector<float> x(25, 1.0F);
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        const PoolDesc desc{.op = op, .shape = {.h = 5, .w = 5}, .window = {1, 2}, .stride = Extent{3, 4}};
        const Pooled forward = run(desc, x);
        const std::vector<float> dy(forward.y.size(), 1.0F);
        const auto dx = run_backward(desc, x, forward.y, dy, forward.argmax);
        for (std::size_t i = 0; i < dx.size(); ++i) {
            const std::size_t row = i / 5;
            const std::size_t column = i % 5;
            const bool covered = row % 3 == 0 && column < 2;
            EXPECT_TRUE(covered || dx[i] == 0.0F) << name_of(op) << " at " << i;
        }
        EXPECT_GT(dx[0], 0.0F) << name_of(op);
    }
}

TEST(PoolBackward, NormsNeitherOverflowNorVanish) {
    const PoolDesc two{.op = PoolOp::lp, .shape = {.h = 1, .w = 2}, .window = {1, 2}};
    const auto of = [&](double p, float a, float b, float dy) {
        PoolDesc desc = two;
        desc.p = p;
        const std::vector<float> x{a, b};
        return run_backward(desc, x, run(desc, x).y, {dy});
    };
    for (const float scale : {1e25F, 1e-20F, 1e-38F, 3e37F}) {
        const auto dx = of(2.0, 3 * scale, 4 * scale, 10.0F);
        EXPECT_NEAR(dx[0], 6.0, 1e-5) << scale;
        EXPECT_NEAR(dx[1], 8.0, 1e-5) << scale;
        const auto steep = of(40.0, scale, -scale, 1.0F);
        EXPECT_NEAR(steep[0], std::pow(2.0, -39.0 / 40.0), 1e-5) << scale;
        EXPECT_NEAR(steep[1], -std::pow(2.0, -39.0 / 40.0), 1e-5) << scale;
    }
    // The steepest norm whose gradient is a product of powers, at both ends of the range of f32.
    for (const float scale : {1e-45F, 1e-40F, 1e38F}) {
        const auto dx = of(6.0, scale, -scale, 3e38F);
        EXPECT_NEAR(dx[0] / 3e38F, std::pow(2.0, -5.0 / 6.0), scale < 1e-44F ? 1.0 : 1e-4) << scale;
        EXPECT_EQ(dx[1], -dx[0]) << scale;
    }
    // A gradient as small as the norm is large.
    EXPECT_NEAR(of(2.0, 3e30F, 4e30F, 1e-30F)[0] / 6e-31, 1.0, 1e-6);
    // x = 0 takes part in nothing, whatever p; a NaN in a window is in all of its other elements' gradients.
    for (const double p : {0.5, 1.0, 2.0, 3.0}) {
        EXPECT_EQ(of(p, 0.0F, 5.0F, 1.0F)[0], 0.0F) << p;
        EXPECT_NEAR(of(p, 0.0F, 5.0F, 1.0F)[1], 1.0F, 1e-6) << p;
        EXPECT_EQ(of(p, 0.0F, 0.0F, 1.0F)[1], 0.0F) << p;
        EXPECT_TRUE(std::isnan(of(p, pool_testing::nan, 5.0F, 1.0F)[1])) << p;
        EXPECT_TRUE(std::isnan(of(p, pool_testing::nan, 5.0F, 1.0F)[0])) << p;
        EXPECT_EQ(of(p, pool_testing::nan, 0.0F, 1.0F)[1], 0.0F) << p;
    }
}

TEST(PoolBackward, HasTheSameBitsOnEveryRunAndForEveryNumberOfThreads) {
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        for (const double p : {2.0, 3.0}) {
            if (op != PoolOp::lp && p != 2.0) continue;
            const PoolDesc desc{.op = op,
                                .shape = {.c = 2, .h = 150, .w = 90},
                                .window = {5, 5},
                                .stride = Extent{2, 1},
                                .p = p};
            const auto x = with_ties(elements(desc.shape), 4);
            const Pooled forward = run(desc, x);
            const auto dy = uniform(forward.y.size(), -1.0F, 1.0F, 8);
            const auto once = run_backward(desc, x, forward.y, dy, forward.argmax);
            for (int i = 0; i < 104; ++i)
                ASSERT_TRUE(same_bits(run_backward(desc, x, forward.y, dy, forward.argmax, i % 8 + 1), once))
                    << name_of(op) << " run " << i;
            if (op == PoolOp::max) {
                EXPECT_TRUE(same_bits(run_backward(desc, x, {}, dy, {}, 3), once)) << "found again";
            }
        }
    }
}

// Averages' gradients as they are defined: shares of windows scattered along x, then added up along y,
// windows in rising order both times.
std::vector<float> scattered(const PoolPlan& plan, const std::vector<float>& dy) {
    const Shape& in = plan.desc().shape;
    const Shape out = plan.output_shape();
    std::vector<float> dx(elements(in));
    for (std::int64_t plane = 0; plane < in.c; ++plane) {
        for (std::int64_t oy = 0; oy < out.h; ++oy) {
            std::vector<float> row(static_cast<std::size_t>(in.w));
            for (std::int64_t ox = 0; ox < out.w; ++ox) {
                const PoolWindow window = plan.window(oy, ox);
                const float share = dy[static_cast<std::size_t>((plane * out.h + oy) * out.w + ox)] /
                                    static_cast<float>(window.divisor);
                for (std::int64_t k = 0; k < window.columns; ++k)
                    row[static_cast<std::size_t>(window.first_column + k * window.column_step)] += share;
            }
            const PoolWindow window = plan.window(oy, 0);
            for (std::int64_t k = 0; k < window.rows; ++k) {
                float* const to = dx.data() + (plane * in.h + window.first_row + k * window.row_step) * in.w;
                for (std::size_t i = 0; i < row.size(); ++i) to[i] += row[i];
            }
        }
    }
    return dx;
}

// Makes dx in rows with room between them, which nothing is written to, by the plan's stores.
void expect_gradients(const PoolPlan& plan, const std::vector<float>& dy, const std::vector<float>& expected,
                      std::size_t behind) {
    const Shape& shape = plan.desc().shape;
    const std::int64_t stride = shape.w + 8;
    const std::int64_t rows = shape.c * shape.h;
    const ArrayAtOffset<float> dx(rows * stride, behind);
    std::fill_n(dx.data(), rows * stride, 77.0F);
    ASSERT_TRUE(plan.backward({}, {}, {dy.data(), ElementType::f32, plan.output_shape()},
                              {dx.data(), ElementType::f32, shape, stride, shape.h * stride}));
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* const row = dx.data() + r * stride;
        const auto* const wanted = expected.data() + r * shape.w;
        ASSERT_TRUE(same_bits({row, row + shape.w}, {wanted, wanted + shape.w}))
            << "row " << r << " at " << behind;
        ASSERT_EQ(std::count(row + shape.w, row + stride, 77.0F), 8)
            << "behind row " << r << " at " << behind;
    }
}

// At stride 2 rows are made straight from shares; by stores through the caches and past them.
TEST(PoolBackward, OfAveragesHasTheBitsOfSharesScatteredAndAddedUp) {
    struct Along {
        std::int64_t window, stride, dilation;
    };
    const auto past = config_from_text("stores:past").value();
    for (const std::int64_t w : {1, 2, 7, 16, 31, 32, 33, 40, 64, 112, 120, 513, 520}) {
        for (const Along y : {Along{2, 2, 1}, Along{3, 2, 1}, Along{3, 1, 1}, Along{2, 4, 1}, Along{5, 2, 1},
                              Along{1, 1, 1}, Along{2, 2, 2}, Along{3, 4, 3}}) {
            for (const std::int64_t window : {2, 3}) {
                for (const std::int64_t padding : {0, 1}) {
                    if (w + 2 * padding < window) continue;
                    PoolDesc desc{.op = PoolOp::avg,
                                  .shape = {.c = 2, .h = 13, .w = w},
                                  .window = {y.window, window},
                                  .stride = Extent{y.stride, 2},
                                  .padding = {y.window > 1 ? padding : 0, padding},
                                  .dilation = {y.dilation, 1},
                                  .ceil_mode = w % 2 == 0,
                                  .count_include_pad = w % 3 == 0};
                    if (w % 5 == 0) desc.divisor_override = w == 40 ? -4 : 8;
                    SCOPED_TRACE(to_string(desc));
                    const auto static_plan = PoolPlan::make(cpu(), desc, {}, {});
                    const auto past_plan = PoolPlan::make(cpu(), desc, {}, past);
                    ASSERT_TRUE(static_plan) << static_plan.error().message;
                    ASSERT_TRUE(past_plan) << past_plan.error().message;
                    auto dy = with_extremes(elements(static_plan->output_shape()), 5);
                    for (float& v : dy) v = std::isfinite(v) ? v : -0.0F;
                    const auto expected = scattered(*static_plan, dy);
                    for (const std::size_t behind : {0, 32, 4}) {
                        expect_gradients(*static_plan, dy, expected, behind);
                        expect_gradients(*past_plan, dy, expected, behind);
                    }
                }
            }
        }
    }
}

// Rows so long that elements gather gradients in vectors, against windows that add theirs one after the
// other.
TEST(PoolBackward, OfMaximaInLongRowsHasTheBitsOfWindowsOneByOne) {
    struct Windows {
        Extent window, stride, padding, dilation;
    };
    const Windows all[] = {{{2, 2}, {2, 2}, {0, 0}, {1, 1}}, {{3, 3}, {2, 2}, {0, 0}, {1, 1}},
                           {{3, 3}, {2, 2}, {1, 1}, {1, 1}}, {{3, 2}, {1, 2}, {1, 1}, {1, 1}},
                           {{2, 3}, {3, 2}, {0, 1}, {1, 1}}, {{2, 3}, {1, 2}, {1, 0}, {2, 1}}};
    const auto architecture_of = [](const PoolDesc& desc) {
        return PoolPlan::make(cpu(), desc)->backward_kernel().architecture;
    };
    std::set<std::string> architectures;
    for (const std::int64_t width : {512, 513, 1030, 2049}) {
        for (const Windows& w : all) {
            for (const bool ceil_mode : {false, true}) {
                const PoolDesc desc{.shape = {.c = 2, .h = 9, .w = width},
                                    .window = w.window,
                                    .stride = w.stride,
                                    .padding = w.padding,
                                    .dilation = w.dilation,
                                    .ceil_mode = ceil_mode};
                const auto x = with_ties(elements(desc.shape), 4);
                Pooled forward = run(desc, x);
                auto dy = uniform(forward.y.size(), -1.0F, 1.0F, 8);
                for (std::size_t o = 0; o < dy.size(); ++o) dy[o] *= static_cast<float>(1 << (o % 20));
                dy[11] = pool_testing::nan;
                dy[12] = -0.0F;
                dy[13] = std::numeric_limits<float>::infinity();
                // Outside the plane, some of them 2^32 from where the maximum is.
                const auto plane = static_cast<std::int64_t>(9 * width);
                for (std::size_t o = 0; o < dy.size(); o += 5) {
                    const std::int64_t outside[] = {forward.argmax[o] + (std::int64_t{1} << 32U),
                                                    forward.argmax[o] - (std::int64_t{1} << 32U), plane, -1,
                                                    std::numeric_limits<std::int64_t>::min()};
                    forward.argmax[o] = outside[o / 5 % 5];
                }
                std::vector<float> expected(x.size(), 0.0F);
                const std::size_t windows = dy.size() / 2;
                for (std::size_t o = 0; o < dy.size(); ++o) {
                    const std::int64_t place = forward.argmax[o];
                    if (place < 0 || place >= plane) continue;
                    expected[o / windows * static_cast<std::size_t>(plane) +
                             static_cast<std::size_t>(place)] += dy[o];
                }
                for (const int threads : {1, 3})
                    EXPECT_TRUE(same_bits(run_backward(desc, x, {}, dy, forward.argmax, threads), expected))
                        << to_string(desc) << " by " << threads;
                architectures.insert(architecture_of(desc));
            }
        }
    }
    // Where vectors have eight elements or more; shorter rows, another stride, longer windows and f64 never.
    const PoolDesc gathered{.shape = {.h = 9, .w = 512}, .window = {2, 2}};
    const std::string target = PoolPlan::make(cpu(), gathered)->kernel().architecture;
    PoolDesc others[] = {gathered, gathered, gathered, gathered};
    others[0].shape.w = 511;
    others[1].stride = Extent{2, 1};
    others[2].window = {2, 5};
    others[2].stride = Extent{2, 2};
    others[3].element = ElementType::f64;
    const std::string baseline = architecture_of(others[0]);
    for (const PoolDesc& other : others) EXPECT_EQ(architecture_of(other), baseline) << to_string(other);
    EXPECT_THAT(architectures, testing::ElementsAre(target.starts_with("AVX") ? target : baseline));
}

TEST(PoolBackward, StridedPlanesAndWhatIsNotReadMayBeEmpty) {
    const PoolDesc desc{.op = PoolOp::avg, .shape = {.n = 2, .c = 2, .h = 4, .w = 6}};
    const auto plan = PoolPlan::make(cpu(), desc);
    ASSERT_TRUE(plan);
    const Shape output = plan->output_shape();
    const auto dense = uniform(elements(output), -1.0F, 1.0F, 3);
    std::vector<float> gapped(4 * 2 * 5, pool_testing::nan);
    for (std::size_t p = 0; p < 4; ++p) {
        for (std::size_t r = 0; r < 2; ++r)
            std::copy_n(dense.data() + (p * 2 + r) * 3, 3, gapped.data() + p * 10 + r * 5);
    }
    std::vector<float> dx(4 * 4 * 8, -7.0F);
    const auto done = plan->backward({}, {}, {gapped.data(), ElementType::f32, output, 5, 10},
                                     {dx.data(), ElementType::f32, desc.shape, 8, 32});
    ASSERT_TRUE(done) << done.error().message;
    const auto expected = run_backward(desc, std::vector<float>(elements(desc.shape)), {}, dense);
    for (std::size_t row = 0; row < 16; ++row) {
        for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(dx[row * 8 + c], c < 6 ? expected[row * 6 + c] : -7.0F);
    }
}

TEST(PoolBackward, RefusesWithAWord) {
    const PoolDesc desc{.op = PoolOp::lp, .shape = {.h = 4, .w = 4}};
    const auto plan = PoolPlan::make(cpu(), desc);
    ASSERT_TRUE(plan);
    const Shape output = plan->output_shape();
    std::vector<float> x(16, 1.0F);
    std::vector<float> small(4, 1.0F);
    std::vector<float> dx(16, -7.0F);
    const ConstTensorView in(x.data(), ElementType::f32, desc.shape);
    const ConstTensorView out(small.data(), ElementType::f32, output);
    const TensorView to{dx.data(), ElementType::f32, desc.shape};
    const auto message = [](const Result<void>& result) { return result ? "done" : result.error().message; };
    using testing::HasSubstr;
    EXPECT_THAT(message(plan->backward({}, out, out, to)), HasSubstr("x: data is null"));
    EXPECT_THAT(message(plan->backward(in, {}, out, to)), HasSubstr("y: data is null"));
    EXPECT_THAT(message(plan->backward(in, out, {}, to)), HasSubstr("dy: data is null"));
    EXPECT_THAT(message(plan->backward(in, in, out, to)),
                HasSubstr("y has shape [1, 1, 4, 4], the plan's is [1, 1, 2, 2]"));
    EXPECT_THAT(message(plan->backward(in, out, out, {x.data(), ElementType::f32, desc.shape})),
                HasSubstr("dx overlaps x: it must lie apart"));
    EXPECT_THAT(message(plan->backward(in, out, out, {dx.data(), ElementType::f64, desc.shape})),
                HasSubstr("dx is f64, the plan is for f32"));
    const std::vector<std::int64_t> argmax(4);
    EXPECT_THAT(message(plan->backward(in, out, out, to, argmax)),
                HasSubstr("argmax: only max pooling has one, not lp"));
    const auto max = PoolPlan::make(cpu(), {.shape = desc.shape});
    EXPECT_THAT(message(max->backward({}, {}, out, to, std::span(argmax).first(3))),
                HasSubstr("argmax has 3 elements, the output [1, 1, 2, 2] has 4"));
    EXPECT_EQ(dx, std::vector<float>(16, -7.0F)) << "something was written";
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled = plan->backward(in, out, out, to, {}, {.stop = stop.get_token()});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
}

}  // namespace
