// SPDX-License-Identifier: MIT
// The output size: by hand, and against the contract's sentence counted out one window at a time.
#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::Shape;
using iir2d::reference::pool_output_shape;

// floor or ceil of (in + 2 pad - dilation (window - 1) - 1) / stride, plus 1, by stepping; and one less under
// ceil when the last window would start at or beyond in + pad, counted from the first padding sample.
std::int64_t counted_size(std::int64_t in, std::int64_t window, std::int64_t stride, std::int64_t pad,
                          std::int64_t dilation, bool ceil_mode) {
    const std::int64_t room = in + 2 * pad - dilation * (window - 1) - 1;
    std::int64_t quotient = -1000;
    if (ceil_mode) {
        while (quotient * stride < room) ++quotient;
    } else {
        while ((quotient + 1) * stride <= room) ++quotient;
    }
    std::int64_t out = quotient + 1;
    if (ceil_mode && (out - 1) * stride >= in + pad) --out;
    return out;
}

TEST(PoolShape, ByHand) {
    struct Case {
        std::int64_t in, window, stride, pad, dilation;
        bool ceil_mode;
        std::int64_t out;
    };
    const Case cases[] = {
        {4, 2, 2, 0, 1, false, 2},  // exact
        {5, 2, 2, 0, 1, false, 2},  // the last sample is left out
        {5, 2, 2, 0, 1, true, 3},   // and taken in under ceil
        {7, 3, 2, 1, 1, false, 4},  // a usual downsampling
        {224, 7, 2, 3, 1, false, 112},
        {10, 3, 1, 0, 4, false, 2},  // dilated: spans 9
        {3, 3, 1, 1, 1, false, 3},   // same size
        {4, 2, 3, 1, 1, true, 2},    // at 0, 3: the third would start at 6 >= 4 + 1
        {5, 2, 3, 1, 1, true, 2},    // likewise: 6 >= 5 + 1
        {6, 2, 3, 1, 1, true, 3},    // 6 < 6 + 1: kept, on the last sample
        {1, 1, 1, 0, 1, false, 1},
        {2, 3, 2, 0, 1, true, 1},  // larger than the input, yet ceil makes one truncated window
    };
    for (const Case& c : cases) {
        const PoolDesc desc{.shape = {1, 1, c.in, c.in},
                            .window = {c.window, c.window},
                            .stride = iir2d::Extent{c.stride, c.stride},
                            .padding = {c.pad, c.pad},
                            .dilation = {c.dilation, c.dilation},
                            .ceil_mode = c.ceil_mode};
        const auto shape = pool_output_shape(desc);
        ASSERT_TRUE(shape) << shape.error().message;
        EXPECT_EQ(*shape, (Shape{1, 1, c.out, c.out})) << pool_testing::to_string(desc);
    }
}

TEST(PoolShape, EveryBoundaryOfTheFormula) {
    int valid = 0;
    int empty = 0;
    for (std::int64_t in = 1; in <= 12; ++in) {
        for (std::int64_t window = 1; window <= 6; ++window) {
            for (std::int64_t stride = 1; stride <= 5; ++stride) {
                for (std::int64_t pad = 0; pad <= window / 2; ++pad) {
                    for (std::int64_t dilation = 1; dilation <= 3; ++dilation) {
                        for (const bool ceil_mode : {false, true}) {
                            const PoolDesc desc{.shape = {2, 3, in, 9},
                                                .window = {window, 1},
                                                .stride = iir2d::Extent{stride, 4},
                                                .padding = {pad, 0},
                                                .dilation = {dilation, 1},
                                                .ceil_mode = ceil_mode};
                            const std::int64_t out =
                                counted_size(in, window, stride, pad, dilation, ceil_mode);
                            const auto shape = pool_output_shape(desc);
                            ASSERT_EQ(shape.has_value(), out >= 1) << pool_testing::to_string(desc);
                            if (shape) {
                                ++valid;
                                ASSERT_EQ(*shape, (Shape{2, 3, out, 3})) << pool_testing::to_string(desc);
                            } else {
                                ++empty;
                                ASSERT_EQ(shape.error().code, iir2d::ErrorCode::invalid_dimension);
                            }
                        }
                    }
                }
            }
        }
    }
    EXPECT_GT(valid, 3000);
    EXPECT_GT(empty, 300);
}

TEST(PoolShape, HugeSizesDoNotOverflow) {
    const std::int64_t side = std::int64_t{1} << 30;
    PoolDesc desc{.shape = {1, 1, side, side}, .window = {2, 2}};
    ASSERT_TRUE(pool_output_shape(desc));
    EXPECT_EQ(*pool_output_shape(desc), (Shape{1, 1, side / 2, side / 2}));

    // One more row than the output's 63 bits of bytes hold: padding makes the output the larger one.
    desc.shape = {1, 1, 1, std::int64_t{1} << 60};
    desc.window = {2, 2};
    desc.stride = iir2d::Extent{1, 1};
    desc.padding = {1, 1};
    const auto shape = pool_output_shape(desc);
    ASSERT_FALSE(shape);
    EXPECT_EQ(shape.error().code, iir2d::ErrorCode::invalid_dimension);
    EXPECT_NE(shape.error().message.find("output shape [1, 1, 2, 1152921504606846977]"), std::string::npos)
        << shape.error().message;
}

TEST(PoolShape, NamesOfOps) {
    for (const PoolOp op :
         {PoolOp::max, PoolOp::avg, PoolOp::lp, PoolOp::adaptive_max, PoolOp::adaptive_avg}) {
        const auto back = iir2d::pool_op_from_name(iir2d::name_of(op));
        ASSERT_TRUE(back);
        EXPECT_EQ(*back, op);
    }
    EXPECT_EQ(iir2d::name_of(PoolOp::adaptive_max), "adaptive-max");
    EXPECT_EQ(iir2d::pool_op_from_name("adaptive_avg").value(), PoolOp::adaptive_avg);
    for (const char* wrong : {"", "median", "Max", "adaptive", "max "}) {
        const auto answer = iir2d::pool_op_from_name(wrong);
        ASSERT_FALSE(answer) << wrong;
        EXPECT_EQ(answer.error().code, iir2d::ErrorCode::invalid_argument);
        EXPECT_NE(answer.error().message.find("'" + std::string(wrong) + "'"), std::string::npos);
    }
}

}  // namespace
