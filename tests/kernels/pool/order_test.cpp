// SPDX-License-Identifier: MIT
// Which way a window is folded along an axis: docs/pooling.md has what each was measured to take.
#include "kernels/pool/order.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace iir2d::pool;
using iir2d::ElementType;

AxisWay way(Along along, Folded folded, std::int64_t window, std::int64_t stride, std::int64_t dilation = 1,
            ElementType accumulator = ElementType::f32) {
    AxisWindows axis{.in = 1024, .window = window, .stride = stride, .dilation = dilation};
    axis.out = (axis.in - axis.span()) / stride + 1;
    return way_along(axis, along, folded, accumulator);
}

TEST(PoolOrder, LongMaximaAreDoubledAlongRowsAndWhereRowsShareMost) {
    EXPECT_EQ(way(Along::x, Folded::maxima, 8, 1), AxisWay::sequence);
    EXPECT_EQ(way(Along::x, Folded::maxima, 9, 1), AxisWay::doubling);
    EXPECT_EQ(way(Along::x, Folded::maxima, 9, 18), AxisWay::doubling);
    EXPECT_EQ(way(Along::x, Folded::maxima, 257, 64), AxisWay::doubling);
    EXPECT_EQ(way(Along::y, Folded::maxima, 9, 18), AxisWay::sequence);
    EXPECT_EQ(way(Along::y, Folded::maxima, 16, 4), AxisWay::sequence);
    EXPECT_EQ(way(Along::y, Folded::maxima, 17, 4), AxisWay::doubling);
    EXPECT_EQ(way(Along::y, Folded::maxima, 129, 40), AxisWay::sequence);
    EXPECT_EQ(way(Along::y, Folded::maxima, 257, 64), AxisWay::doubling);
    EXPECT_EQ(way(Along::x, Folded::maxima, 9, 2, 2), AxisWay::sequence);
}

TEST(PoolOrder, RowsOfMaximaAreFoldedForEachElementAtStridesThatNoShuffleDealsOut) {
    for (const std::int64_t stride : {3, 5, 6, 7}) {
        for (const std::int64_t window : {4, 8}) {
            EXPECT_EQ(way(Along::x, Folded::maxima, window, stride), AxisWay::in_parts) << stride;
            EXPECT_EQ(way(Along::y, Folded::maxima, window, stride), AxisWay::sequence) << stride;
            EXPECT_EQ(way(Along::x, Folded::maxima, window, stride, 2), AxisWay::sequence) << stride;
            EXPECT_EQ(way(Along::x, Folded::pairs, window, stride), AxisWay::sequence) << stride;
            EXPECT_EQ(way(Along::x, Folded::maxima, window, stride, 1, ElementType::f64), AxisWay::sequence);
        }
        EXPECT_NE(way(Along::x, Folded::maxima, 2, stride), AxisWay::in_parts) << stride;
        EXPECT_EQ(way(Along::x, Folded::maxima, 9, stride), AxisWay::doubling) << stride;
    }
    for (const std::int64_t stride : {3, 5, 6})
        EXPECT_EQ(way(Along::x, Folded::maxima, 3, stride), AxisWay::in_parts) << stride;
    EXPECT_EQ(way(Along::x, Folded::maxima, 3, 7), AxisWay::one_by_one);
    for (const std::int64_t stride : {1, 2, 4, 8, 9})
        EXPECT_EQ(way(Along::x, Folded::maxima, 8, stride), AxisWay::sequence) << stride;
}

TEST(PoolOrder, SumsOfMoreThanTwentyFourAreInPartsAtAnyStride) {
    EXPECT_EQ(way(Along::y, Folded::sums, 24, 12), AxisWay::sequence);
    EXPECT_EQ(way(Along::y, Folded::sums, 25, 25), AxisWay::in_parts);
    EXPECT_EQ(way(Along::y, Folded::sums, 64, 64), AxisWay::doubling);
    EXPECT_EQ(way(Along::x, Folded::sums, 31, 31), AxisWay::in_parts);
    EXPECT_EQ(way(Along::x, Folded::sums, 15, 1), AxisWay::in_parts);
    EXPECT_EQ(way(Along::x, Folded::sums, 15, 4), AxisWay::sequence);
    EXPECT_EQ(way(Along::x, Folded::sums, 16, 8), AxisWay::doubling);
}

TEST(PoolOrder, SumsOfManyDigitsAreDoubledWhereRowsShareMostAndOnePartIsEnough) {
    EXPECT_EQ(way(Along::y, Folded::sums, 15, 1), AxisWay::doubling);
    EXPECT_EQ(way(Along::y, Folded::sums, 15, 3), AxisWay::doubling);
    EXPECT_EQ(way(Along::y, Folded::sums, 15, 4), AxisWay::sequence);
    EXPECT_EQ(way(Along::y, Folded::sums, 31, 1), AxisWay::in_parts);
    EXPECT_EQ(way(Along::x, Folded::sums, 15, 1), AxisWay::in_parts);
}

TEST(PoolOrder, PairsAreNeverDoubled) {
    EXPECT_EQ(way(Along::x, Folded::pairs, 16, 1), AxisWay::in_parts);
    EXPECT_EQ(way(Along::x, Folded::pairs, 16, 4), AxisWay::sequence);
}

TEST(PoolOrder, WindowsFarApartAreFoldedOneByOneAlongRows) {
    EXPECT_EQ(way(Along::x, Folded::sums, 9, 19), AxisWay::one_by_one);
    EXPECT_EQ(way(Along::y, Folded::sums, 9, 19), AxisWay::sequence);
}

}  // namespace
