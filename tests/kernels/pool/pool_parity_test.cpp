// SPDX-License-Identifier: MIT
// The CPU backend against the double-precision reference, over a generated matrix of descriptors and kinds of
// images. Descriptors that are not valid must be refused by both with the same words.
#include "tests/kernels/pool/pool_sweep.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::PoolPlan;
using iir2d::Shape;

constexpr Shape compared_shapes[] = {{1, 1, 1, 1}, {1, 2, 1, 7}, {2, 1, 5, 3}, {1, 3, 17, 9}, {1, 1, 33, 70}};

struct Counts {
    int run = 0;
    int refused = 0;
};

void compare(const PoolDesc& desc, const std::vector<float>& x, Counts& counts) {
    SCOPED_TRACE(pool_testing::to_string(desc));
    const auto plan = PoolPlan::make(pool_testing::cpu(), desc);
    const auto shape = iir2d::reference::pool_output_shape(desc);
    ASSERT_EQ(plan.has_value(), shape.has_value());
    if (!plan) {
        ++counts.refused;
        ASSERT_EQ(plan.error().message, shape.error().message);
        ASSERT_EQ(plan.error().code, shape.error().code);
        return;
    }
    ++counts.run;
    ASSERT_EQ(plan->output_shape(), *shape);
    const auto got = pool_testing::run(desc, x);
    pool_testing::expect_reference(desc, x, got);
    if (::testing::Test::HasFatalFailure()) return;
    if (desc.op == PoolOp::max) {
        ASSERT_TRUE(pool_testing::same_bits(pool_testing::run(desc, x, 1, false).y, got.y));
    }
}

void sweep(const PoolDesc& op, const pool_testing::MakeImage& make_image, Counts& counts) {
    pool_testing::sweep(op, make_image, compared_shapes, false,
                        [&](const PoolDesc& desc, const std::vector<float>& x) { compare(desc, x, counts); });
}

TEST(PoolParity, Max) {
    Counts counts;
    sweep({.op = PoolOp::max}, pool_testing::with_ties, counts);
    sweep({.op = PoolOp::max}, pool_testing::with_extremes, counts);
    EXPECT_GT(counts.run, 1500);
    EXPECT_GT(counts.refused, 300);
}

TEST(PoolParity, Average) {
    Counts counts;
    for (const bool include_pad : {false, true}) {
        sweep({.op = PoolOp::avg, .count_include_pad = include_pad}, pool_testing::signed_noise, counts);
        sweep({.op = PoolOp::avg, .count_include_pad = include_pad}, pool_testing::with_extremes, counts);
    }
    sweep({.op = PoolOp::avg, .divisor_override = -3}, pool_testing::signed_noise, counts);
    EXPECT_GT(counts.run, 3000);
}

TEST(PoolParity, Lp) {
    Counts counts;
    for (const double p : {0.5, 1.0, 2.0, 3.0, 7.0}) {
        sweep({.op = PoolOp::lp, .p = p}, pool_testing::signed_noise, counts);
        sweep({.op = PoolOp::lp, .p = p}, pool_testing::with_extremes, counts);
    }
    EXPECT_GT(counts.run, 1500);
}

// Rows longer than any vector or block, and windows long enough for the wide sums.
TEST(PoolParity, LargerPlanes) {
    Counts counts;
    const Shape shape{1, 1, 130, 1021};
    const std::vector<float> x = pool_testing::uniform(pool_testing::elements(shape), 0.0F, 1.0F, 77);
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        for (const Extent& window : {Extent{2, 2}, Extent{3, 3}, Extent{64, 65}, Extent{130, 1021}}) {
            for (const std::optional<Extent>& stride :
                 {std::optional<Extent>(), std::optional(Extent{13, 11})}) {
                for (const double p : {1.0, 2.0}) {
                    compare({.op = op, .shape = shape, .window = window, .stride = stride, .p = p}, x,
                            counts);
                }
            }
        }
    }
    EXPECT_EQ(counts.run, 48);
}

// Windows that overlap so much that they are folded in parts, along one axis or both.
TEST(PoolParity, WindowsInParts) {
    Counts counts;
    const Shape shape{1, 2, 61, 83};
    const std::vector<float> ties = pool_testing::with_ties(pool_testing::elements(shape), 5);
    const std::vector<float> extremes = pool_testing::with_extremes(pool_testing::elements(shape), 6);
    const auto low = std::vector<float>(ties.size(), -pool_testing::infinity);
    for (const Extent& window :
         {Extent{9, 9}, Extent{13, 6}, Extent{3, 15}, Extent{16, 31}, Extent{19, 5}, Extent{23, 11},
          Extent{27, 21}, Extent{31, 31}, Extent{33, 2}, Extent{61, 65}}) {
        for (const Extent& stride :
             {Extent{1, 1}, Extent{2, 1}, Extent{1, 2}, Extent{3, 70}, Extent{50, 1}}) {
            for (const Extent& padding : {Extent{0, 0}, Extent{window.h / 2, window.w / 2}}) {
                for (const Extent& dilation : {Extent{1, 1}, Extent{3, 2}}) {
                    for (const bool ceil_mode : {false, true}) {
                        for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
                            const PoolDesc desc{.op = op,
                                                .shape = shape,
                                                .window = window,
                                                .stride = stride,
                                                .padding = padding,
                                                .dilation = dilation,
                                                .ceil_mode = ceil_mode};
                            compare(desc, ties, counts);
                            compare(desc, extremes, counts);
                            if (op == PoolOp::max) compare(desc, low, counts);
                            if (HasFatalFailure()) return;
                        }
                    }
                }
            }
        }
    }
    EXPECT_GT(counts.run, 500);
}

// Compares both inputs with the reference, and the first's bits on 5 threads with those on one.
void compare_on_threads(const PoolDesc& desc, const std::vector<float>& usual,
                        const std::vector<float>& extremes, Counts& counts) {
    compare(desc, usual, counts);
    compare(desc, extremes, counts);
    if (::testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(pool_testing::same_bits(pool_testing::run(desc, usual, 5, false).y,
                                        pool_testing::run(desc, usual, 1, false).y))
        << pool_testing::to_string(desc) << " on 5 threads";
}

// Rows in several waves, windows longer than one of them, and parts of every length.
TEST(PoolParity, TallWindows) {
    Counts counts;
    const Shape shape{1, 1, 300, 140};
    const std::vector<float> usual = pool_testing::uniform(pool_testing::elements(shape), -1.0F, 1.0F, 7);
    const std::vector<float> extremes = pool_testing::with_extremes(pool_testing::elements(shape), 8);
    for (const Extent& window :
         {Extent{65, 9}, Extent{140, 9}, Extent{15, 131}, Extent{47, 32}, Extent{260, 10}}) {
        for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
            const PoolDesc desc{.op = op, .shape = shape, .window = window, .stride = Extent{1, 1}};
            compare_on_threads(desc, usual, extremes, counts);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_EQ(counts.run, 30);
}

// Sums that are made four rows at once: several planes and blocks one below the other, of as many rows as
// they have.
TEST(PoolParity, TallPlanesOfLongSums) {
    Counts counts;
    for (const std::int64_t window : {19, 21, 22, 25, 28, 31}) {
        for (const std::int64_t height : {window, window + 1, std::int64_t{640}}) {
            const Shape shape{1, height < 640 ? 1 : 3, height, 45};
            const std::vector<float> usual =
                pool_testing::uniform(pool_testing::elements(shape), -1.0F, 1.0F, 7);
            const std::vector<float> extremes = pool_testing::with_extremes(pool_testing::elements(shape), 8);
            for (const std::int64_t padding : {std::int64_t{0}, window / 2}) {
                const PoolDesc desc{.op = PoolOp::avg,
                                    .shape = shape,
                                    .window = Extent{window, 3},
                                    .stride = Extent{1, 1},
                                    .padding = Extent{padding, 1}};
                compare_on_threads(desc, usual, extremes, counts);
                if (HasFatalFailure()) return;
            }
        }
    }
    EXPECT_EQ(counts.run, 72);
}

// PoolRun tests non-temporal stores.
TEST(PoolParity, PlanesLargerThanCaches) {
    Counts counts;
    for (const Shape& shape : {Shape{1, 1, 2064, 2100}, Shape{1, 300, 121, 122}, Shape{1, 300, 112, 128}}) {
        const std::vector<float> x = pool_testing::uniform(pool_testing::elements(shape), -1.0F, 1.0F, 78);
        for (const PoolOp op : {PoolOp::max, PoolOp::lp}) {
            compare({.op = op, .shape = shape}, x, counts);
            compare({.op = op, .shape = shape, .window = {3, 3}, .stride = Extent{2, 2}}, x, counts);
        }
        compare(
            {.op = PoolOp::avg, .shape = shape, .window = {3, 3}, .stride = Extent{1, 1}, .padding = {1, 1}},
            x, counts);
    }
    EXPECT_EQ(counts.run, 15);
}

}  // namespace
