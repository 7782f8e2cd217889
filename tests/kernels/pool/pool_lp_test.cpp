// SPDX-License-Identifier: MIT
// Lp pooling where powers leave the range of a float: the norm of a window of equal magnitudes m is known in
// closed form, m * count^(1/p).
#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::Shape;

constexpr double powers[] = {0.01, 0.05, 0.1, 0.5, 1, 1.5, 2, 3, 7, 40, 1000};
constexpr float tested_magnitudes[] = {1e-45F, 1e-42F, 1.2e-38F, 1e-30F, 1e-25F, 1e-20F, 1e-12F, 1e-3F,
                                       1.0F,   1e3F,   1e12F,    1e19F,  1e20F,  1e25F,  1e38F,  3.4e38F};

PoolDesc lp(double p, std::int64_t h, std::int64_t w) {
    return {.op = PoolOp::lp, .shape = {1, 1, h, w}, .window = {h, w}, .p = p};
}

TEST(PoolLp, EqualMagnitudesOfEverySize) {
    for (const double p : powers) {
        for (const auto& [h, w] : {std::pair{2, 2}, std::pair{3, 3}, std::pair{1, 5}, std::pair{40, 50}}) {
            for (const float m : tested_magnitudes) {
                std::vector<float> x(static_cast<std::size_t>(h * w), m);
                for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -m;
                const double norm = static_cast<double>(m) * std::pow(static_cast<double>(x.size()), 1.0 / p);
                const auto got = pool_testing::run(lp(p, h, w), x);
                EXPECT_TRUE(pool_testing::agrees(got.y[0], norm, 2e-6 * norm))
                    << "p " << p << ", magnitude " << m << ", window " << h << "x" << w;
                const auto judged = pool_testing::reference(lp(p, h, w), x);
                EXPECT_TRUE(pool_testing::agrees(static_cast<float>(judged.y[0]), norm, 2e-6 * norm))
                    << "reference: p " << p << ", magnitude " << m << ", window " << h << "x" << w;
            }
        }
    }
}

TEST(PoolLp, OneElementAmongZerosIsItsOwnNorm) {
    for (const double p : {1e-300, 1e-12, 0.01, 0.5, 1.0, 2.0, 3.0, 7.0, 1e6, 1e300}) {
        for (const float m : tested_magnitudes) {
            const auto got = pool_testing::run(lp(p, 2, 2), {0.0F, -0.0F, -m, 0.0F});
            EXPECT_TRUE(pool_testing::agrees(got.y[0], static_cast<double>(m), 2e-6 * static_cast<double>(m)))
                << "p " << p << ", magnitude " << m;
        }
    }
}

TEST(PoolLp, ZeroWindowIsZero) {
    for (const double p : powers) {
        const auto got = pool_testing::run(lp(p, 2, 2), {0.0F, -0.0F, 0.0F, -0.0F});
        EXPECT_EQ(got.y[0], 0.0F) << "p " << p;
        EXPECT_FALSE(std::signbit(got.y[0])) << "p " << p;
    }
}

TEST(PoolLp, TinyBesideHugeInOneRow) {
    // The fast sums of a row are right for some of its windows only.
    const PoolDesc desc{.op = PoolOp::lp, .shape = {1, 1, 2, 8}};
    const auto got = pool_testing::run(desc, {3e25F, 0, 3, 4, 3e-25F, 0, 0, 0,  //
                                              0, 4e25F, 0, 0, 0, 4e-25F, 0, 0});
    const double expected[] = {5e25, 5, 5e-25, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(pool_testing::agrees(got.y[i], expected[i], 2e-6 * expected[i])) << i;
    }
}

TEST(PoolLp, TinyBesideHugeInLargeWindows) {
    // Sums of squares of most of these windows leave the range of a float, each in its own way.
    const Shape shape{1, 1, 40, 60};
    std::vector<float> x(pool_testing::elements(shape), 0.0F);
    x[3 * 60 + 5] = 3e25F;
    x[20 * 60 + 20] = -2e-30F;
    x[21 * 60 + 23] = 1e-44F;
    x[35 * 60 + 50] = pool_testing::infinity;
    x[30 * 60 + 40] = pool_testing::nan;
    x[10 * 60 + 55] = 5.0F;
    for (const double p : {1.0, 1.5, 2.0, 3.0, 6.0, 6.5, 1e9}) {
        for (const Extent& stride : {Extent{1, 1}, Extent{11, 11}}) {
            const PoolDesc desc{
                .op = PoolOp::lp, .shape = shape, .window = {11, 11}, .stride = stride, .p = p};
            const auto got = pool_testing::run(desc, x);
            const auto judged = pool_testing::reference(desc, x);
            for (std::size_t i = 0; i < got.y.size(); ++i) {
                ASSERT_TRUE(pool_testing::agrees(got.y[i], judged.y[i], 2e-6 * judged.y[i]))
                    << "p " << p << ", output " << i;
            }
        }
    }
}

TEST(PoolLp, LargePowersAreTheLargestMagnitude) {
    const std::vector<float> x = pool_testing::with_extremes(64 * 64, 8);
    for (const double p : {1e6, 4.1e6, 1e7, 1e300}) {
        for (const Extent& window : {Extent{2, 2}, Extent{3, 3}, Extent{21, 17}}) {
            const PoolDesc desc{.op = PoolOp::lp,
                                .shape = {1, 1, 64, 64},
                                .window = window,
                                .stride = Extent{1, 2},
                                .ceil_mode = true,
                                .p = p};
            const auto got = pool_testing::run(desc, x);
            const auto judged = pool_testing::reference(desc, x);
            for (std::size_t i = 0; i < got.y.size(); ++i) {
                ASSERT_TRUE(pool_testing::agrees(got.y[i], judged.y[i], 2e-6 * judged.y[i]))
                    << "p " << p << ", output " << i;
            }
        }
    }
    PoolDesc desc{.op = PoolOp::lp, .shape = {1, 1, 64, 64}, .p = 1e7};
    EXPECT_EQ(iir2d::PoolPlan::make(pool_testing::cpu(), desc)->kernel().variant, "windows_largest");
    // Where every magnitude counts, four elements have a norm 1.4e-6 above their largest magnitude.
    desc.p = 1e6;
    EXPECT_EQ(iir2d::PoolPlan::make(pool_testing::cpu(), desc)->kernel().variant, "rows_power_f64_sum");
}

TEST(PoolLp, ShortPathsAgreeWithTheGeneralOne) {
    const std::vector<float> x = pool_testing::uniform(64 * 64, -3.0F, 3.0F, 5);
    for (const double exact_p : {1.0, 2.0}) {
        for (const std::int64_t window : {2, 3, 5, 21}) {
            PoolDesc desc{.op = PoolOp::lp, .shape = {1, 1, 64, 64}, .window = {window, window}};
            desc.p = exact_p;
            const auto short_path = pool_testing::run(desc, x);
            desc.p = std::nextafter(exact_p, 10.0);
            const auto general = pool_testing::run(desc, x);
            ASSERT_EQ(short_path.y.size(), general.y.size());
            for (std::size_t i = 0; i < general.y.size(); ++i) {
                EXPECT_TRUE(pool_testing::agrees(short_path.y[i], static_cast<double>(general.y[i]),
                                                 2e-6 * static_cast<double>(general.y[i])));
            }
        }
    }
}

// Powers are taken in vectors, and what is left over one by one.
TEST(PoolLp, PowersAtEveryWidth) {
    for (const double p : {0.07, 0.5, 1.5, 2.5, 5.9, 6.5, 20.0}) {
        for (std::int64_t width = 1; width <= 37; ++width) {
            const Shape shape{1, 1, 3, width};
            const auto x = pool_testing::with_extremes(pool_testing::elements(shape), 60);
            for (const auto& [window, stride] :
                 {std::pair{1, 1}, std::pair{2, 2}, std::pair{3, 1}, std::pair{1, 9}}) {
                if (window > width) continue;
                const PoolDesc desc{.op = PoolOp::lp,
                                    .shape = shape,
                                    .window = {2, window},
                                    .stride = Extent{1, stride},
                                    .p = p};
                const auto got = pool_testing::run(desc, x);
                const auto judged = pool_testing::reference(desc, x);
                for (std::size_t i = 0; i < got.y.size(); ++i) {
                    ASSERT_TRUE(pool_testing::agrees(got.y[i], judged.y[i], 2e-6 * judged.y[i]))
                        << "p " << p << ", width " << width << ", window " << window << ", output " << i;
                }
            }
        }
    }
}

}  // namespace
