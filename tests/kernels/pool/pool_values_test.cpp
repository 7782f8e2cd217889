// SPDX-License-Identifier: MIT
// Values worked out by hand, asked of the CPU backend and of the reference alike.
#include <gmock/gmock.h>

#include <optional>

#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using pool_testing::infinity;
using pool_testing::nan;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

void expect_pooled(const PoolDesc& desc, const std::vector<float>& x, const std::vector<float>& y,
                   const std::vector<std::int64_t>& argmax = {}) {
    SCOPED_TRACE(pool_testing::to_string(desc));
    const auto got = pool_testing::run(desc, x);
    const auto judged = pool_testing::reference(desc, x);
    ASSERT_EQ(got.y.size(), y.size());
    ASSERT_EQ(judged.y.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto expected = static_cast<double>(y[i]);
        const double tolerance = 2e-6 * std::abs(expected);
        EXPECT_TRUE(pool_testing::agrees(got.y[i], expected, tolerance)) << "cpu, element " << i;
        EXPECT_TRUE(pool_testing::agrees(static_cast<float>(judged.y[i]), expected, tolerance))
            << "reference, element " << i;
    }
    if (desc.op != PoolOp::max) return;
    EXPECT_THAT(got.argmax, ElementsAreArray(argmax));
    EXPECT_THAT(judged.argmax, ElementsAreArray(argmax));
    const auto without = pool_testing::run(desc, x, 1, false);
    EXPECT_TRUE(pool_testing::same_bits(without.y, got.y)) << "with and without the argmax differ";
}

const std::vector<float> ramp = {1,  2,  3,  4,   //
                                 5,  6,  7,  8,   //
                                 9,  10, 11, 12,  //
                                 13, 14, 15, 16};

TEST(PoolValues, TwoByTwo) {
    PoolDesc desc{.shape = {1, 1, 4, 4}};
    expect_pooled(desc, ramp, {6, 8, 14, 16}, {5, 7, 13, 15});
    desc.op = PoolOp::avg;
    expect_pooled(desc, ramp, {3.5F, 5.5F, 11.5F, 13.5F});
    desc.op = PoolOp::lp;
    desc.p = 1;
    expect_pooled(desc, ramp, {14, 22, 46, 54});
    desc.p = 2;  // sqrt(1 + 4 + 25 + 36), ...
    expect_pooled(desc, ramp, {8.1240384F, 11.747340F, 23.366643F, 27.313001F});
    desc.p = 3;  // cbrt(1 + 8 + 125 + 216), ...
    expect_pooled(desc, ramp, {7.0472987F, 9.8166591F, 18.823857F, 21.918431F});
}

TEST(PoolValues, StrideOneWithPadding) {
    PoolDesc desc{.shape = {1, 1, 2, 2}, .window = {3, 3}, .stride = Extent{1, 1}, .padding = {1, 1}};
    const std::vector<float> x = {-4, -3, -2, -1};
    // Padding is minus infinity, not zero.
    expect_pooled(desc, x, {-1, -1, -1, -1}, {3, 3, 3, 3});
    desc.op = PoolOp::avg;
    expect_pooled(desc, x, {-2.5F, -2.5F, -2.5F, -2.5F});
    desc.count_include_pad = true;
    expect_pooled(desc, x, {-10.0F / 9, -10.0F / 9, -10.0F / 9, -10.0F / 9});
    desc.divisor_override = 4;  // goes before count_include_pad
    expect_pooled(desc, x, {-2.5F, -2.5F, -2.5F, -2.5F});
    desc.divisor_override = -1;
    expect_pooled(desc, x, {10, 10, 10, 10});
}

TEST(PoolValues, CeilModeTruncatesTheLastWindow) {
    // 5 samples, windows of 2: the last one holds a single sample.
    PoolDesc desc{.shape = {1, 1, 1, 5}, .window = {1, 2}, .ceil_mode = true};
    const std::vector<float> x = {1, 3, 5, 7, -9};
    expect_pooled(desc, x, {3, 7, -9}, {1, 3, 4});
    desc.op = PoolOp::avg;
    expect_pooled(desc, x, {2, 6, -9});
    desc.op = PoolOp::lp;
    desc.p = 1;
    expect_pooled(desc, x, {4, 12, 9});  // not rescaled as if the window were whole
}

TEST(PoolValues, CeilModeCountsPaddingOnlyUpToItsEnd) {
    // Windows of 4 at -1 and 3 over 5 samples and one of padding at each end: the second one holds samples 3
    // and 4 and one of padding, and one position beyond that, which does not count.
    PoolDesc desc{.op = PoolOp::avg,
                  .shape = {1, 1, 1, 5},
                  .window = {1, 4},
                  .padding = {0, 1},
                  .ceil_mode = true,
                  .count_include_pad = true};
    expect_pooled(desc, {1, 2, 3, 4, 5}, {6.0F / 4, 9.0F / 3});
    desc.count_include_pad = false;
    expect_pooled(desc, {1, 2, 3, 4, 5}, {6.0F / 3, 9.0F / 2});
}

TEST(PoolValues, Dilation) {
    // Taps at 0, 2, 4 of each window.
    PoolDesc desc{.shape = {1, 1, 1, 6}, .window = {1, 3}, .stride = Extent{1, 1}, .dilation = {1, 2}};
    const std::vector<float> x = {1, 20, 3, 40, 5, 60};
    expect_pooled(desc, x, {5, 60}, {4, 5});
    desc.op = PoolOp::avg;
    expect_pooled(desc, x, {3, 40});
    desc.op = PoolOp::lp;
    desc.p = 1;
    expect_pooled(desc, x, {9, 120});
}

TEST(PoolValues, DilationCanStepOverTheWholeInput) {
    // Taps at -1 and 4 of four samples: none inside.
    PoolDesc desc{.shape = {1, 1, 1, 4}, .window = {1, 2}, .padding = {0, 1}, .dilation = {1, 5}};
    const std::vector<float> x = {1, 2, 3, 4};
    expect_pooled(desc, x, {-infinity}, {-1});
    desc.op = PoolOp::avg;
    expect_pooled(desc, x, {0});
    desc.count_include_pad = true;
    expect_pooled(desc, x, {0});
}

TEST(PoolValues, AnisotropicWindowAndStride) {
    PoolDesc desc{.shape = {1, 1, 4, 4}, .window = {3, 2}, .stride = Extent{1, 2}};
    expect_pooled(desc, ramp, {10, 12, 14, 16}, {9, 11, 13, 15});
    desc.op = PoolOp::avg;
    expect_pooled(desc, ramp, {5.5F, 7.5F, 9.5F, 11.5F});
}

TEST(PoolValues, StrideBeyondTheWindowSkipsSamples) {
    const PoolDesc desc{.shape = {1, 1, 1, 7}, .window = {1, 2}, .stride = Extent{1, 4}};
    expect_pooled(desc, {1, 2, 100, 100, 3, 4, 100}, {2, 4}, {1, 5});
}

TEST(PoolValues, PlanesAreSeparateAndIndicesRelativeToThem) {
    const PoolDesc desc{.shape = {2, 2, 1, 2}, .window = {1, 2}};
    expect_pooled(desc, {1, 2, 4, 3, 5, 6, 8, 7}, {2, 4, 6, 8}, {1, 0, 1, 0});
}

TEST(PoolValues, FirstMaximumInRowMajorOrder) {
    // The 9s at (0, 2) and (1, 0): the earlier row wins although its column is later.
    const PoolDesc desc{.shape = {1, 1, 2, 3}, .window = {2, 3}};
    expect_pooled(desc, {0, 1, 9, 9, 9, 9}, {9}, {2});
    expect_pooled(desc, {7, 7, 7, 7, 7, 7}, {7}, {0});
    expect_pooled(desc, {-infinity, -infinity, -infinity, -infinity, -infinity, -infinity}, {-infinity}, {0});
    expect_pooled(desc, {-infinity, -infinity, -infinity, -infinity, -5, -infinity}, {-5}, {4});
}

TEST(PoolValues, FirstOfTwoZerosKeepsItsSign) {
    const PoolDesc desc{.shape = {1, 1, 2, 2}};
    const auto got = pool_testing::run(desc, {-5.0F, -0.0F, 0.0F, -5.0F});
    EXPECT_TRUE(std::signbit(got.y[0]));
    EXPECT_THAT(got.argmax, ElementsAre(1));
    const auto without = pool_testing::run(desc, {-5.0F, -0.0F, 0.0F, -5.0F}, 1, false);
    EXPECT_TRUE(std::signbit(without.y[0]));
}

TEST(PoolValues, NaNWinsAndTheFirstOne) {
    const PoolDesc desc{.shape = {1, 1, 2, 3}, .window = {2, 3}};
    expect_pooled(desc, {1, infinity, 3, nan, 5, 6}, {nan}, {3});
    expect_pooled(desc, {1, 2, nan, nan, 5, infinity}, {nan}, {2});
    expect_pooled(desc, {nan, 9, nan, 9, 9, nan}, {nan}, {0});
}

TEST(PoolValues, NaNAndInfinityStayInTheirWindows) {
    PoolDesc desc{.op = PoolOp::avg, .shape = {1, 1, 1, 8}, .window = {1, 2}};
    const std::vector<float> x = {nan, 1, infinity, 1, infinity, -infinity, 2, 4};
    expect_pooled(desc, x, {nan, infinity, nan, 3});
    desc.op = PoolOp::lp;
    for (const double p : {0.5, 1.0, 2.0, 3.0}) {
        desc.p = p;
        const float last = p == 0.5 ? 11.656854F : p == 1.0 ? 6.0F : p == 2.0 ? 4.4721360F : 4.1601676F;
        expect_pooled(desc, x, {nan, infinity, infinity, last});
        expect_pooled(desc, {infinity, nan, nan, -infinity, 0, nan, 0, 0}, {nan, nan, nan, 0});
    }
}

TEST(PoolValues, AverageOfHugeValuesDoesNotOverflow) {
    PoolDesc desc{.op = PoolOp::avg, .shape = {1, 1, 2, 4}};
    expect_pooled(desc, {3e38F, 3e38F, 3e38F, -3e38F, 3e38F, 3e38F, 3e38F, -3e38F}, {3e38F, 0});
}

}  // namespace
