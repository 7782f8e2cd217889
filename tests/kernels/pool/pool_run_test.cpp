// SPDX-License-Identifier: MIT
// How a plan runs: strides, threads, repeated and simultaneous runs, progress, cancellation, and what it says
// of itself.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/kernels/array_at_offset.h"
#include "tests/kernels/pool/pool_testing.h"

namespace {

using iir2d::ElementType;
using iir2d::ErrorCode;
using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::PoolPlan;
using iir2d::Shape;

const PoolDesc varied[] = {
    {.op = PoolOp::max, .shape = {2, 3, 61, 83}},
    {.op = PoolOp::max,
     .shape = {1, 1, 200, 301},
     .window = {5, 9},
     .stride = Extent{1, 1},
     .padding = {2, 4}},
    {.op = PoolOp::avg, .shape = {2, 3, 61, 83}, .window = {3, 3}, .stride = Extent{2, 2}, .padding = {1, 1}},
    {.op = PoolOp::avg, .shape = {1, 1, 200, 301}, .window = {50, 60}, .stride = Extent{3, 7}},
    {.op = PoolOp::lp, .shape = {500, 2, 7, 7}, .window = {7, 7}},
    {.op = PoolOp::lp, .shape = {1, 1, 128, 257}, .window = {3, 3}, .stride = Extent{1, 1}, .p = 3.0},
};

TEST(PoolRun, TheBitsDoNotDependOnThreads) {
    for (const PoolDesc& desc : varied) {
        SCOPED_TRACE(pool_testing::to_string(desc));
        const auto x = pool_testing::with_extremes(pool_testing::elements(desc.shape), 3);
        const auto one = pool_testing::run(desc, x, 1);
        for (const int threads : {2, 3, 8}) {
            const auto more = pool_testing::run(desc, x, threads);
            EXPECT_TRUE(pool_testing::same_bits(one.y, more.y)) << threads << " threads";
            EXPECT_EQ(one.argmax, more.argmax) << threads << " threads";
        }
        EXPECT_TRUE(pool_testing::same_bits(one.y, pool_testing::run(desc, x, 1).y)) << "second run";
    }
}

TEST(PoolRun, StridedViewsAndNothingWrittenBetweenRows) {
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        const PoolDesc desc{.op = op, .shape = {1, 3, 10, 14}, .window = {3, 2}, .ceil_mode = true};
        const auto dense = pool_testing::uniform(pool_testing::elements(desc.shape), -1.0F, 1.0F, 9);
        const auto expected = pool_testing::run(desc, dense);
        const auto plan = pool_testing::plan_on(pool_testing::cpu(2), desc);
        ASSERT_TRUE(plan);
        const Shape out = plan->output_shape();

        const std::int64_t x_row = 19;
        const std::int64_t x_plane = 10 * x_row + 7;
        std::vector<float> x(static_cast<std::size_t>(3 * x_plane), pool_testing::nan);
        for (std::size_t i = 0; i < dense.size(); ++i) {
            const auto n = static_cast<std::int64_t>(i);
            x[static_cast<std::size_t>(n / 140 * x_plane + n % 140 / 14 * x_row + n % 14)] = dense[i];
        }
        const std::int64_t y_row = out.w + 3;
        const std::int64_t y_plane = out.h * y_row + 5;
        std::vector<float> y(static_cast<std::size_t>(3 * y_plane), -5.0F);
        ASSERT_TRUE(plan->forward({x.data(), ElementType::f32, desc.shape, x_row, x_plane},
                                  {y.data(), ElementType::f32, out, y_row, y_plane}));
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(y.size()); ++i) {
            const std::int64_t plane = i / y_plane;
            const std::int64_t row = i % y_plane / y_row;
            const std::int64_t column = i % y_plane % y_row;
            float wanted = -5.0F;
            if (row < out.h && column < out.w) {
                wanted = expected.y[static_cast<std::size_t>((plane * out.h + row) * out.w + column)];
            }
            ASSERT_EQ(y[static_cast<std::size_t>(i)], wanted)
                << iir2d::name_of(op) << " at plane " << plane << ", row " << row << ", column " << column;
        }
    }
}

TEST(PoolRun, OnePlanFromManyThreadsAtOnce) {
    const PoolDesc& desc = varied[2];
    const auto plan = pool_testing::plan_on(pool_testing::cpu(2), desc);
    ASSERT_TRUE(plan);
    const auto x = pool_testing::uniform(pool_testing::elements(desc.shape), 0.0F, 1.0F, 4);
    const auto expected = pool_testing::run(desc, x);
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> callers;
        for (int i = 0; i < 4; ++i) {
            callers.emplace_back([&] {
                std::vector<float> y(expected.y.size());
                const auto done = plan->forward({x.data(), ElementType::f32, desc.shape},
                                                {y.data(), ElementType::f32, plan->output_shape()});
                if (done && pool_testing::same_bits(y, expected.y)) ++right;
            });
        }
    }
    EXPECT_EQ(right.load(), 4);
}

TEST(PoolRun, ProgressRisesToOneOnTheCallingThread) {
    const PoolDesc desc{.op = PoolOp::max, .shape = {1, 8, 512, 512}};
    const auto plan = PoolPlan::make(pool_testing::cpu(1), desc);
    ASSERT_TRUE(plan);
    const std::vector<float> x(pool_testing::elements(desc.shape), 1.0F);
    std::vector<float> y(pool_testing::elements(plan->output_shape()));
    std::vector<double> seen;
    bool same_thread = true;
    const auto caller = std::this_thread::get_id();
    const iir2d::RunControl control{.progress = [&](double fraction) {
        seen.push_back(fraction);
        same_thread = same_thread && std::this_thread::get_id() == caller;
    }};
    ASSERT_TRUE(plan->forward({x.data(), ElementType::f32, desc.shape},
                              {y.data(), ElementType::f32, plan->output_shape()}, {}, control));
    ASSERT_GT(seen.size(), 3U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_GT(seen.front(), 0.0);
    EXPECT_DOUBLE_EQ(seen.back(), 1.0);
    EXPECT_TRUE(same_thread);
}

// Without an argmax the backward pass of adaptive max finds it first, and that is half of its progress.
TEST(PoolRun, FindingTheArgmaxIsHalfOfTheBackwardPasssProgress) {
    const PoolDesc desc{.op = PoolOp::adaptive_max, .shape = {1, 8, 256, 256}, .output = {100, 100}};
    const auto plan = PoolPlan::make(pool_testing::cpu(1), desc);
    ASSERT_TRUE(plan);
    const std::vector<float> x(pool_testing::elements(desc.shape), 1.0F);
    const std::vector<float> dy(pool_testing::elements(plan->output_shape()), 1.0F);
    std::vector<float> dx(x.size());
    std::vector<double> seen;
    const iir2d::RunControl control{.progress = [&](double fraction) { seen.push_back(fraction); }};
    ASSERT_TRUE(plan->backward({x.data(), ElementType::f32, desc.shape}, {},
                               {dy.data(), ElementType::f32, plan->output_shape()},
                               {dx.data(), ElementType::f32, desc.shape}, {}, control));
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_GT(std::ranges::count_if(seen, [](double fraction) { return fraction < 0.5; }), 1);
    EXPECT_GT(std::ranges::count_if(seen, [](double fraction) { return fraction > 0.5; }), 1);
    EXPECT_DOUBLE_EQ(seen.back(), 1.0);
}

// The backward pass of max finds its argmax band by band.
TEST(PoolRun, ABackwardPassOfMaxWithoutAnArgmaxReportsItsProgressAndStops) {
    const PoolDesc desc{.op = PoolOp::max, .shape = {1, 8, 512, 512}};
    const auto plan = PoolPlan::make(pool_testing::cpu(1), desc);
    ASSERT_TRUE(plan);
    const std::vector<float> x(pool_testing::elements(desc.shape), 1.0F);
    const std::vector<float> dy(pool_testing::elements(plan->output_shape()), 1.0F);
    std::vector<float> dx(x.size());
    const auto backward = [&](const iir2d::RunControl& control) {
        return plan->backward({x.data(), ElementType::f32, desc.shape}, {},
                              {dy.data(), ElementType::f32, plan->output_shape()},
                              {dx.data(), ElementType::f32, desc.shape}, {}, control);
    };
    std::vector<double> seen;
    ASSERT_TRUE(backward({.progress = [&](double fraction) { seen.push_back(fraction); }}));
    EXPECT_GT(seen.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_DOUBLE_EQ(seen.back(), 1.0);
    std::stop_source amid;
    const auto part = backward({.stop = amid.get_token(), .progress = [&](double) { amid.request_stop(); }});
    ASSERT_FALSE(part);
    EXPECT_EQ(part.error().code, ErrorCode::cancelled);
}

TEST(PoolRun, StopsWhenAskedBeforeAndAmidARun) {
    const PoolDesc desc{.op = PoolOp::avg, .shape = {1, 8, 512, 512}};
    const std::vector<float> x(pool_testing::elements(desc.shape), 1.0F);
    for (const int threads : {1, 2}) {
        const auto plan = pool_testing::plan_on(pool_testing::cpu(threads), desc);
        ASSERT_TRUE(plan);
        std::vector<float> y(pool_testing::elements(plan->output_shape()));
        const auto forward = [&](const iir2d::RunControl& control) {
            return plan->forward({x.data(), ElementType::f32, desc.shape},
                                 {y.data(), ElementType::f32, plan->output_shape()}, {}, control);
        };
        std::stop_source before;
        before.request_stop();
        const auto never = forward({.stop = before.get_token()});
        ASSERT_FALSE(never);
        EXPECT_EQ(never.error().code, ErrorCode::cancelled);
        EXPECT_EQ(y, std::vector<float>(y.size(), 0.0F)) << "something was computed";

        // The caller runs one part at least, and is heard even if others have run the rest meanwhile.
        std::stop_source amid;
        const auto part =
            forward({.stop = amid.get_token(), .progress = [&](double) { amid.request_stop(); }});
        ASSERT_FALSE(part);
        EXPECT_EQ(part.error().code, ErrorCode::cancelled);

        std::stop_source after;
        EXPECT_TRUE(forward({.stop = after.get_token()}));
        EXPECT_EQ(y, std::vector<float>(y.size(), 1.0F));
    }
}

// A single row is long enough to be left in its middle, whichever way its windows are folded.
TEST(PoolRun, StopsInsideOneRow) {
    const std::int64_t width = std::int64_t{1} << 21;
    for (const std::int64_t window : {2, 5, 33}) {
        const PoolDesc desc{
            .op = PoolOp::max, .shape = {1, 1, 1, width}, .window = {1, window}, .stride = Extent{1, 1}};
        const auto plan = PoolPlan::make(pool_testing::cpu(1), desc);
        ASSERT_TRUE(plan);
        const std::vector<float> x(static_cast<std::size_t>(width), 1.0F);
        std::vector<float> y(static_cast<std::size_t>(width - window + 1), -5.0F);
        std::stop_source source;
        const auto done = plan->forward(
            {x.data(), ElementType::f32, desc.shape}, {y.data(), ElementType::f32, plan->output_shape()}, {},
            {.stop = source.get_token(), .progress = [&](double) { source.request_stop(); }});
        ASSERT_FALSE(done) << window;
        EXPECT_EQ(done.error().code, ErrorCode::cancelled);
        EXPECT_EQ(y.front(), 1.0F) << window;
        EXPECT_EQ(y.back(), -5.0F) << window;
    }
}

// Windows that divide the input evenly lie side by side.
TEST(PoolRun, EvenAdaptiveWindowsAreThoseOfTheirSize) {
    const Shape shape{2, 1, 84, 112};
    const auto x = pool_testing::with_extremes(pool_testing::elements(shape), 51);
    for (const auto& [adaptive, op] :
         {std::pair{PoolOp::adaptive_max, PoolOp::max}, {PoolOp::adaptive_avg, PoolOp::avg}}) {
        for (const Extent output : {Extent{1, 1}, {7, 14}, {42, 56}, {3, 2}, {84, 112}}) {
            const PoolDesc even{.op = adaptive, .shape = shape, .output = output};
            const PoolDesc plain{
                .op = op, .shape = shape, .window = {shape.h / output.h, shape.w / output.w}};
            const auto made = pool_testing::run(even, x, 2).y;
            const auto expected = pool_testing::run(plain, x, 1);
            EXPECT_EQ(std::memcmp(made.data(), expected.y.data(), made.size() * sizeof(float)), 0)
                << output.h << "x" << output.w;
            if (op == PoolOp::max) {
                std::vector<float> y(made.size());
                std::vector<std::int64_t> argmax(made.size());
                const auto plan = PoolPlan::make(pool_testing::cpu(1), even);
                ASSERT_TRUE(plan->forward({x.data(), ElementType::f32, shape},
                                          {y.data(), ElementType::f32, plan->output_shape()}, argmax));
                EXPECT_EQ(argmax, expected.argmax) << output.h << "x" << output.w;
            }
            EXPECT_EQ(PoolPlan::make(pool_testing::cpu(1), even)->kernel().variant,
                      PoolPlan::make(pool_testing::cpu(1), plain)->kernel().variant);
        }
        PoolDesc uneven{.op = adaptive, .shape = shape, .output = {30, 40}};
        EXPECT_TRUE(PoolPlan::make(pool_testing::cpu(1), uneven)->kernel().variant.starts_with("rows"));
        uneven.output = {7, 9};  // sums of long windows are made one by one
        EXPECT_EQ(PoolPlan::make(pool_testing::cpu(1), uneven)->kernel().variant.starts_with("gathered"),
                  op == PoolOp::avg);
    }
}

// Rows are dealt out by the taps of all windows: each window against its own samples, at every width.
TEST(PoolRun, UnevenAdaptiveWindowsAreEachOfTheirOwnSamples) {
    for (std::int64_t width = 1; width <= 40; ++width) {
        const Shape shape{1, 2, 13, width};
        const auto x = pool_testing::with_extremes(pool_testing::elements(shape), 70);
        const std::vector<double> stored(x.begin(), x.end());
        for (const Extent output : {Extent{1, 3}, {5, 7}, {13, 16}, {9, width}, {20, 61}, {12, 39}}) {
            for (const PoolOp op : {PoolOp::adaptive_max, PoolOp::adaptive_avg}) {
                const PoolDesc desc{.op = op, .shape = shape, .output = output};
                const auto plan = PoolPlan::make(pool_testing::cpu(1), desc);
                ASSERT_TRUE(plan);
                std::vector<float> y(pool_testing::elements(plan->output_shape()), -9.0F);
                std::vector<double> expected(y.size());
                std::vector<std::int64_t> argmax(op == PoolOp::adaptive_max ? y.size() : 0, -7);
                std::vector<std::int64_t> expected_argmax(argmax.size());
                ASSERT_TRUE(plan->forward({x.data(), ElementType::f32, shape},
                                          {y.data(), ElementType::f32, plan->output_shape()}, argmax));
                ASSERT_TRUE(iir2d::reference::pool(desc, stored, expected, expected_argmax));
                ASSERT_EQ(argmax, expected_argmax) << width << " to " << output.w;
                std::vector<float> without(y.size());
                ASSERT_TRUE(plan->forward({x.data(), ElementType::f32, shape},
                                          {without.data(), ElementType::f32, plan->output_shape()}, {}));
                for (std::size_t i = 0; i < y.size(); ++i) {
                    // Of an average's samples the largest has a magnitude of 3e38.
                    const double most = op == PoolOp::adaptive_max ? 0.0 : 2e-6 * 3e38;
                    ASSERT_TRUE(pool_testing::agrees(y[i], expected[i], most))
                        << width << " to " << output.w << " at " << i;
                    ASSERT_TRUE(std::isnan(y[i]) ? std::isnan(without[i]) : y[i] == without[i]);
                }
            }
        }
        // Sums that lose nothing.
        const auto usual = pool_testing::uniform(x.size(), 0.0F, 1.0F, 71);
        const std::vector<double> usual_stored(usual.begin(), usual.end());
        const PoolDesc desc{.op = PoolOp::adaptive_avg, .shape = shape, .output = {5, 7}};
        const auto made = pool_testing::run(desc, usual);
        std::vector<double> expected(made.y.size());
        ASSERT_TRUE(iir2d::reference::pool(desc, usual_stored, expected));
        for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(made.y[i], expected[i], 2e-6 * expected[i]) << width << " at " << i;
    }
}

TEST(PoolRun, WhatAPlanSaysOfItself) {
    const PoolDesc desc{.op = PoolOp::lp, .shape = {1, 2, 8, 8}, .p = 2.0};
    const auto plan = PoolPlan::make(pool_testing::cpu(1), desc);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->desc().shape, desc.shape);
    EXPECT_EQ(plan->output_shape(), (Shape{1, 2, 4, 4}));
    EXPECT_EQ(plan->kernel().backend, iir2d::Backend::cpu);
    EXPECT_EQ(plan->kernel().name, "pool_lp");
    EXPECT_EQ(plan->kernel().variant, "windows_p2_f32_sum");
    EXPECT_EQ(plan->kernel().element, ElementType::f32);
    EXPECT_FALSE(plan->kernel().architecture.empty());
    EXPECT_EQ(plan->precision().accumulator, ElementType::f32);
    EXPECT_TRUE(plan->precision().bit_stable);
    EXPECT_TRUE(plan->precision().deterministic);
    EXPECT_NE(plan->precision().statement.find("2e-6"), std::string::npos);

    const auto max_plan = PoolPlan::make(pool_testing::cpu(1), {.shape = {1, 1, 4, 4}});
    EXPECT_EQ(max_plan->precision().max_abs_error, 0.0);
    // Sums too long for the tolerance in f32 are made in f64, and the plan says so.
    PoolDesc large{
        .op = PoolOp::avg, .shape = {1, 1, 200, 200}, .window = {40, 40}, .stride = Extent{99, 99}};
    const auto apart = PoolPlan::make(pool_testing::cpu(1), large);
    EXPECT_EQ(apart->precision().accumulator, ElementType::f64);
    EXPECT_EQ(apart->kernel().variant, "rows_f64_sum");
    // In parts they are short enough.
    large.stride = Extent{40, 40};
    const auto beside = PoolPlan::make(pool_testing::cpu(1), large);
    EXPECT_EQ(beside->precision().accumulator, ElementType::f32);
    EXPECT_EQ(beside->kernel().variant, "parts_f32_sum");
}

// Large enough for non-temporal stores: with rows that are aligned for them and rows that are not, and with
// an output whose offset in a page makes 4K aliasing and one whose offset does not.
TEST(PoolRun, NonTemporalStoresAnd4kAliasingDoNotChangeTheBits) {
    const PoolDesc descs[] = {{.op = PoolOp::max, .shape = {1, 1, 2064, 2112}},
                              {.op = PoolOp::max,
                               .shape = {1, 1, 1200, 2048},
                               .window = {3, 3},
                               .stride = Extent{1, 1},
                               .padding = {1, 1}}};
    for (const PoolDesc& desc : descs) {
        const auto plan = PoolPlan::make(pool_testing::cpu(2), desc);
        ASSERT_TRUE(plan);
        EXPECT_NE(plan->kernel().config_resolved.find("stores:past"), std::string::npos);
        const Shape out = plan->output_shape();
        const auto count = static_cast<std::int64_t>(pool_testing::elements(desc.shape));
        const ArrayAtOffset<float> x(count, 0);
        std::ranges::copy(pool_testing::with_extremes(static_cast<std::size_t>(count), 21), x.data());
        const auto run = [&](std::int64_t stride, std::size_t behind) {
            const ArrayAtOffset<float> y(out.h * stride, behind);
            EXPECT_TRUE(plan->forward({x.data(), ElementType::f32, desc.shape},
                                      {y.data(), ElementType::f32, out, stride}));
            std::vector<float> dense;
            for (std::int64_t r = 0; r < out.h; ++r)
                dense.insert(dense.end(), y.data() + r * stride, y.data() + r * stride + out.w);
            return dense;
        };
        const auto through = run(out.w + 1, 0);
        for (const std::size_t behind : {0, 2048, 2064})
            EXPECT_TRUE(pool_testing::same_bits(run(out.w, behind), through)) << behind;
        EXPECT_TRUE(pool_testing::same_bits(run(out.w + 8, 2048), through));
    }
}

// Strides of 4 and 8 deal rows out in vectors, with and without a rest, from rows of the image and of a
// buffer; at strides of 3, 5, 6 and 7 short windows are folded for each element of a row.
TEST(PoolRun, DealtOutRowsAreThoseOneByOne) {
    for (std::int64_t width = 8; width <= 150; width += width < 40 ? 1 : 11) {
        const Shape shape{1, 2, 19, width};
        const auto x = pool_testing::with_extremes(pool_testing::elements(shape), 82);
        for (const std::int64_t window : {3, 4, 5, 7, 8}) {
            for (const std::int64_t stride : {3, 4, 5, 6, 7, 8}) {
                for (const std::int64_t dilation : {1, 3}) {
                    if (dilation * (window - 1) + 1 > width + 2 * (window / 2)) continue;
                    PoolDesc desc{.op = PoolOp::max,
                                  .shape = shape,
                                  .window = {3, window},
                                  .stride = Extent{2, stride},
                                  .padding = {1, window / 2},
                                  .dilation = {1, dilation}};
                    const auto made = pool_testing::run(desc, x);
                    const auto expected = pool_testing::reference(desc, x);
                    EXPECT_TRUE(pool_testing::same_bits(made.y, pool_testing::run(desc, x, 1, false).y))
                        << width;
                    for (std::size_t i = 0; i < made.y.size(); ++i) {
                        ASSERT_TRUE(std::isnan(expected.y[i])
                                        ? std::isnan(made.y[i])
                                        : static_cast<double>(made.y[i]) == expected.y[i])
                            << width << ", window " << window << ", stride " << stride << " at " << i;
                    }
                    ASSERT_EQ(made.argmax, expected.argmax) << width << ", window " << window;
                }
            }
        }
    }
}

// Pairs of f64 are folded by the same loops as those of f32, in vectors half as wide.
TEST(PoolRun, PlacesInF64AreThoseInF32) {
    for (std::int64_t width = 1; width <= 37; width += width < 20 ? 1 : 4) {
        const Shape shape{1, 2, 21, width};
        for (const auto& x : {pool_testing::with_extremes(pool_testing::elements(shape), 80),
                              pool_testing::with_ties(pool_testing::elements(shape), 81)}) {
            const std::vector<double> wide(x.begin(), x.end());
            for (const std::int64_t window : {1, 2, 3, 9, 17}) {
                for (const std::int64_t stride : {1, 2, 5}) {
                    PoolDesc desc{.op = PoolOp::max,
                                  .shape = shape,
                                  .window = {window, std::min(window, width)},
                                  .stride = Extent{stride, stride},
                                  .padding = {window / 2, std::min(window, width) / 2},
                                  .ceil_mode = true};
                    const auto expected = pool_testing::run(desc, x);
                    desc.element = ElementType::f64;
                    const auto plan = pool_testing::plan_on(pool_testing::cpu(2), desc);
                    ASSERT_TRUE(plan);
                    std::vector<double> y(expected.y.size());
                    std::vector<std::int64_t> argmax(y.size());
                    ASSERT_TRUE(plan->forward({wide.data(), ElementType::f64, shape},
                                              {y.data(), ElementType::f64, plan->output_shape()}, argmax));
                    ASSERT_EQ(argmax, expected.argmax)
                        << width << ", window " << window << ", stride " << stride;
                    for (std::size_t i = 0; i < y.size(); ++i) {
                        const auto of_f32 = static_cast<double>(expected.y[i]);
                        ASSERT_TRUE(std::isnan(of_f32) ? std::isnan(y[i]) : y[i] == of_f32) << i;
                    }
                }
            }
        }
    }
}

}  // namespace
