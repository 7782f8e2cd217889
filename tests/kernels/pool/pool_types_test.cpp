// SPDX-License-Identifier: MIT
// Every op in every element type, forward and backward, against the double reference on the same stored
// values; adaptive windows; ranges that only the wider types have.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <random>

#include "iir2d/config.h"
#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

template <class T>
class PoolTypes : public ::testing::Test {};
TYPED_TEST_SUITE(PoolTypes, AllTypes, TypeName);

TYPED_TEST(PoolTypes, ForwardKeepsTheTolerance) {
    int cases = 0;
    double worst = 0.0;
    for (const PoolDesc& desc : all_cases()) {
        ++cases;
        SCOPED_TRACE(to_string(desc));
        const auto x = stored<TypeParam>(uniform(elements(desc.shape), -1.0F, 1.0F, 3));
        const auto got = run_in<TypeParam>(desc, x);
        std::vector<double> y(got.y.size());
        std::vector<double> scale(got.y.size());
        std::vector<std::int64_t> argmax(got.argmax.size());
        ASSERT_TRUE(reference::pool(desc, as_doubles(x), y, argmax));
        ASSERT_TRUE(reference::pool(desc, magnitudes_of(as_doubles(x)), scale));
        EXPECT_EQ(got.argmax, argmax);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const auto value = element::load<double>(got.y[i]);
            if (!got.argmax.empty()) {
                ASSERT_EQ(value, y[i]) << i;
                continue;
            }
            const double error = std::abs(value - y[i]);
            ASSERT_LE(error, tolerance<TypeParam>() * scale[i] + smallest<TypeParam>()) << i;
            worst = std::max(worst, error / scale[i]);
        }
    }
    std::printf("%d cases forward, worst error %.3g of what is summed\n", cases, worst);
    EXPECT_GT(cases, 80);
}

// Places that are not given are found band by band: also where windows lie apart, and where tasks end within
// planes and with them.
TYPED_TEST(PoolTypes, BackwardOfMaximaHasTheSameBitsWithoutPlaces) {
    std::mt19937 random(11);
    const auto from = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    int tried = 0;
    for (int i = 0; i < 400; ++i) {
        PoolDesc desc{.shape = {from(1, 2), from(1, 4), from(1, 70), from(1, 70)},
                      .window = {from(1, 9), from(1, 5)},
                      .stride = Extent{from(1, 12), from(1, 6)},
                      .dilation = {from(1, 3), from(1, 2)},
                      .ceil_mode = i % 2 == 0,
                      .element = type_of<TypeParam>};
        if (i % 10 == 0) {  // in vectors, for windows of 2 or 3 columns
            desc.shape = {1, 2, from(20, 60), from(512, 900)};
            desc.stride = Extent{from(1, 3), 2};
            desc.dilation.w = 1;
        }
        desc.padding = {from(0, desc.window.h / 2), from(0, desc.window.w / 2)};
        const Device device = cpu(i % 3 + 1);
        const Config small_tasks{.threads = device.threads(), .task = i % 3 == 0 ? 0 : 1024};
        const auto plan = PoolPlan::make(device, desc, Config{}, small_tasks);
        if (!plan) continue;  // no window fits
        ++tried;
        const Shape out = plan->output_shape();
        const auto x = stored<TypeParam>(with_ties(elements(desc.shape), 4));
        const auto dy = stored<TypeParam>(uniform(elements(out), -1.0F, 1.0F, 8));
        std::vector<TypeParam> y(dy.size());
        std::vector<std::int64_t> argmax(dy.size());
        const ConstTensorView in{x.data(), desc.element, desc.shape};
        ASSERT_TRUE(plan->forward(in, {y.data(), desc.element, out}, argmax));
        const auto backward = [&](const ConstTensorView& given, std::span<const std::int64_t> places) {
            // Rows that only one of them writes differ.
            std::vector<TypeParam> dx(x.size(), element::store<TypeParam>(places.empty() ? 70.0F : 80.0F));
            const auto done = plan->backward(given, {}, {dy.data(), desc.element, out},
                                             {dx.data(), desc.element, desc.shape}, places);
            EXPECT_TRUE(done) << done.error().message;
            return as_doubles(dx);
        };
        const auto found = backward(in, {});
        ASSERT_EQ(found, backward({}, argmax)) << to_string(desc);
        ASSERT_EQ(std::ranges::count_if(found, [](double value) { return value >= 70.0; }), 0)
            << to_string(desc);
    }
    EXPECT_GT(tried, 300);
}

// Rows are converted in vectors; one by one is the rule.
template <class T>
void every_element_is_converted_by_the_rule() {
    std::vector<T> x(65536);
    for (std::size_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<std::uint16_t>(i);
    // Neighbours of every distance in size, and sums with bits to round off.
    std::shuffle(x.begin(), x.end(), std::mt19937(12));
    const Shape shape{1, 1, 8, 8192};
    const auto alone = run_in<T>({.op = PoolOp::avg, .shape = shape, .window = {1, 1}}, x).y;
    const auto pairs = run_in<T>({.op = PoolOp::avg, .shape = shape, .window = {1, 2}}, x).y;
    ASSERT_EQ(pairs.size(), x.size() / 2);
    const auto value = [&](std::size_t i) { return element::load<float>(x[i]); };
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(value(i)) || value(i) == 0.0F) continue;  // an average has one NaN, and one zero
        ASSERT_EQ(alone[i].bits, x[i].bits);
    }
    std::vector<T> expected(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const float sum = 0.0F + value(2 * i) + value(2 * i + 1);
        const double exact = static_cast<double>(value(2 * i)) + static_cast<double>(value(2 * i + 1));
        // Where a sum in f32 overflows it is made in f64.
        expected[i] = std::isfinite(sum) ? element::store<T>(sum / 2.0F) : element::store<T>(exact / 2.0);
    }
    EXPECT_TRUE(same_bits_but_nan(pairs, expected));
}
TEST(PoolTypes16, EveryElementIsConvertedByTheRule) {
    every_element_is_converted_by_the_rule<Float16>();
    every_element_is_converted_by_the_rule<BFloat16>();
}

TYPED_TEST(PoolTypes, BackwardKeepsTheTolerance) {
    int cases = 0;
    double worst = 0.0;
    auto descs = all_cases();
    // Rows so long that elements gather the gradients of maxima in vectors.
    descs.push_back({.shape = {.c = 2, .h = 6, .w = 530}, .window = {2, 2}});
    descs.push_back(
        {.shape = {.h = 7, .w = 1027}, .window = {3, 3}, .stride = Extent{2, 2}, .padding = {1, 1}});
    for (const PoolDesc& desc : descs) {
        ++cases;
        SCOPED_TRACE(to_string(desc));
        const auto x = stored<TypeParam>(uniform(elements(desc.shape), -1.0F, 1.0F, 5));
        const auto forward = run_in<TypeParam>(desc, x);
        const auto dy = stored<TypeParam>(uniform(forward.y.size(), -1.0F, 1.0F, 6));
        const auto dx = backward_in<TypeParam>(desc, x, forward, dy);
        ASSERT_TRUE(gradients_agree(desc, x, forward.y, dy, dx, worst));
        ASSERT_TRUE(same_bits_but_nan(dx, backward_in<TypeParam>(desc, x, forward, dy, 3)));
    }
    std::printf("%d cases backward, worst error %.3g of what is summed\n", cases, worst);
    EXPECT_GT(cases, 80);
}

TYPED_TEST(PoolTypes, NormsAreRepresentableWhereTheyAre) {
    using Limits = std::numeric_limits<double>;
    const double largest = std::is_same_v<TypeParam, double>    ? Limits::max()
                           : std::is_same_v<TypeParam, Float16> ? 65504.0
                                                                : 3.0e38;
    const double tiny = std::is_same_v<TypeParam, double>    ? 1e-300
                        : std::is_same_v<TypeParam, Float16> ? 6e-7
                                                             : 1e-38;
    for (const double scale : {largest / 8, tiny}) {
        const std::vector<TypeParam> x{element::store<TypeParam>(3 * scale),
                                       element::store<TypeParam>(-4 * scale)};
        for (const double p : {1.0, 2.0, 3.0, 30.0}) {
            const PoolDesc desc{.op = PoolOp::lp, .shape = {.h = 1, .w = 2}, .window = {1, 2}, .p = p};
            std::vector<double> y(1);
            ASSERT_TRUE(reference::pool(desc, as_doubles(x), y));
            const auto got = run_in<TypeParam>(desc, x);
            EXPECT_NEAR(element::load<double>(got.y[0]) / y[0], 1.0,
                        tolerance<TypeParam>() + smallest<TypeParam>() / y[0])
                << scale << " p " << p;
            const std::vector<TypeParam> dy{element::store<TypeParam>(1.0F)};
            std::vector<double> dx(2);
            ASSERT_TRUE(reference::pool_backward(desc, as_doubles(x), as_doubles(got.y), as_doubles(dy), dx));
            const auto gradient = backward_in<TypeParam>(desc, x, got, dy);
            for (std::size_t i = 0; i < 2; ++i) {
                EXPECT_NEAR(element::load<double>(gradient[i]), dx[i],
                            tolerance<TypeParam>() * std::abs(dx[i]) + smallest<TypeParam>())
                    << scale << " p " << p;
            }
        }
    }
}

// Wide windows are summed several rows at a time: each row from first to last, and then the rows, in f64.
TYPED_TEST(PoolTypes, WideWindowsAreSummedRowByRow) {
    for (const Shape& shape : {Shape{1, 2, 61, 301}, Shape{1, 1, 7, 70}, Shape{2, 1, 40, 1400}}) {
        for (const Extent output : {Extent{3, 2}, Extent{6, 2}}) {
            const PoolDesc desc{.op = PoolOp::adaptive_avg, .shape = shape, .output = output};
            SCOPED_TRACE(to_string(desc));
            const auto x = stored<TypeParam>(uniform(elements(shape), -1.0F, 1.0F, 8));
            std::vector<TypeParam> expected;
            for (std::int64_t plane = 0; plane < shape.n * shape.c; ++plane) {
                for (std::int64_t i = 0; i < output.h * output.w; ++i) {
                    const std::int64_t oy = i / output.w;
                    const std::int64_t ox = i % output.w;
                    const std::int64_t top = oy * shape.h / output.h;
                    const std::int64_t bottom = ((oy + 1) * shape.h + output.h - 1) / output.h;
                    const std::int64_t left = ox * shape.w / output.w;
                    const std::int64_t right = ((ox + 1) * shape.w + output.w - 1) / output.w;
                    double sum = 0.0;
                    for (std::int64_t row = top; row < bottom; ++row) {
                        double of_row = 0.0;
                        for (std::int64_t column = left; column < right; ++column) {
                            of_row += element::load<double>(
                                x[static_cast<std::size_t>((plane * shape.h + row) * shape.w + column)]);
                        }
                        sum += of_row;
                    }
                    const auto taps = static_cast<double>((bottom - top) * (right - left));
                    expected.push_back(element::store<TypeParam>(sum / taps));
                }
            }
            EXPECT_TRUE(same_bits_but_nan(run_in<TypeParam>(desc, x).y, expected));
        }
    }
}

TEST(PoolAdaptive, WindowsAreFloorToCeil) {
    // [0, 2), [1, 4), [3, 5) of 5 samples.
    const PoolDesc desc{.op = PoolOp::adaptive_avg, .shape = {.h = 1, .w = 5}, .output = {1, 3}};
    const std::vector<float> x{1.0F, 2.0F, 4.0F, 8.0F, 16.0F};
    const auto avg = run_in<float>(desc, x);
    EXPECT_EQ(avg.y, (std::vector<float>{1.5F, 14.0F / 3.0F, 12.0F}));
    PoolDesc max = desc;
    max.op = PoolOp::adaptive_max;
    const auto largest = run_in<float>(max, x);
    EXPECT_EQ(largest.y, (std::vector<float>{2.0F, 8.0F, 16.0F}));
    EXPECT_EQ(largest.argmax, (std::vector<std::int64_t>{1, 3, 4}));
    const std::vector<float> dy{1.0F, 3.0F, 10.0F};
    EXPECT_EQ(backward_in<float>(desc, x, avg, dy), (std::vector<float>{0.5F, 1.5F, 1.0F, 6.0F, 5.0F}));
    EXPECT_EQ(backward_in<float>(max, x, largest, dy), (std::vector<float>{0.0F, 1.0F, 0.0F, 3.0F, 10.0F}));
    // More outputs than samples.
    PoolDesc more = desc;
    more.shape = {.h = 1, .w = 2};
    more.output = {1, 5};
    EXPECT_EQ(run_in<float>(more, {1.0F, 2.0F}).y, (std::vector<float>{1.0F, 1.0F, 1.5F, 2.0F, 2.0F}));
    EXPECT_EQ(backward_in<float>(more, {1.0F, 2.0F}, {}, std::vector<float>(5, 2.0F)),
              (std::vector<float>{5.0F, 5.0F}));
}

TEST(PoolAdaptive, TheOutputsSizeIsChecked) {
    const auto message = [](Extent output) {
        const auto plan =
            PoolPlan::make(cpu(), {.op = PoolOp::adaptive_max, .shape = {.h = 4, .w = 4}, .output = output});
        return plan ? std::string("made") : plan.error().message;
    };
    EXPECT_EQ(message({0, 3}), "output 0x3: must be at least 1 along each axis");
    EXPECT_EQ(message({3, -1}), "output 3x-1: must be at least 1 along each axis");
    EXPECT_EQ(message({std::int64_t{1} << 31, 1}),
              "output 2147483648x1: must be at most 2147483647 along each axis");
    EXPECT_EQ(message({3, 4}), "made");
}

}  // namespace
