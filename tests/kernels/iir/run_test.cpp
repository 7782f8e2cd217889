// SPDX-License-Identifier: MIT
// How plans run: in place, strides, threads, special values, cancelling, refused views.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <stop_token>

#include "iir2d/config.h"
#include "kernels/support/aligned_array.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;
using ::testing::HasSubstr;

FilterPlan plan_of(const FilterDesc& desc, int threads = 2) {
    return *FilterPlan::make(*Device::cpu(threads), desc);
}

std::vector<float> run_f32(const FilterDesc& desc, const std::vector<float>& x, int threads) {
    std::vector<float> y(x.size());
    const auto done =
        plan_of(desc, threads)
            .run({x.data(), ElementType::f32, desc.shape}, {y.data(), ElementType::f32, desc.shape});
    EXPECT_TRUE(done) << done.error().message;
    return y;
}

std::vector<float> floats(std::int64_t count, unsigned seed) {
    const auto x = random_plane(count, seed);
    return {x.begin(), x.end()};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(FilterRun, BitsDoNotDependOnThreads) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : {Border::mirror, Border::wrap}) {
            const FilterDesc desc{.shape = {.c = 2, .h = 403, .w = 517},
                                  .filter = {.id = id},
                                  .border = border,
                                  .start = border == Border::wrap ? Start::steady : Start::truncated};
            const auto x = floats(count_of(desc.shape), 1);
            const auto one = run_f32(desc, x, 1);
            for (const int threads : {2, 3, 8})
                EXPECT_TRUE(same_bits(one, run_f32(desc, x, threads))) << describe(desc);
        }
    }
}

TEST(FilterRun, InPlaceStridesAndOddAddressesGiveTheSameBits) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : all_borders) {
            const FilterDesc desc{
                .shape = {.c = 2, .h = 67, .w = 45}, .filter = {.id = id}, .border = border};
            const auto x = floats(count_of(desc.shape), 2);
            const auto expected = run_f32(desc, x, 2);
            auto same = x;
            ASSERT_TRUE(plan_of(desc).run({same.data(), ElementType::f32, desc.shape},
                                          {same.data(), ElementType::f32, desc.shape}));
            EXPECT_TRUE(same_bits(expected, same)) << describe(desc);

            // Rows 53 apart, planes 4000 apart, one float off any alignment; the gaps stay as they were.
            std::vector<float> in(8001, -7.0F);
            std::vector<float> out(9001, -9.0F);
            for (std::size_t p = 0; p < 2; ++p) {
                for (std::size_t r = 0; r < 67; ++r) {
                    std::copy_n(&x[p * 67 * 45 + r * 45], 45, &in[1 + p * 4000 + r * 53]);
                }
            }
            ASSERT_TRUE(plan_of(desc).run({in.data() + 1, ElementType::f32, desc.shape, 53, 4000},
                                          {out.data() + 1, ElementType::f32, desc.shape, 61, 4500}));
            std::size_t touched = 0;
            for (std::size_t p = 0; p < 2; ++p) {
                for (std::size_t r = 0; r < 67; ++r) {
                    const float* at = &out[1 + p * 4500 + r * 61];
                    EXPECT_EQ(std::memcmp(at, &expected[p * 67 * 45 + r * 45], 45 * sizeof(float)), 0)
                        << describe(desc);
                    touched += 45;
                }
            }
            EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(out, -9.0F)), out.size() - touched);
        }
    }
}

// Expects the bits of ordinary stores from non-temporal ones whose rows begin `bytes` after the start of a
// cache line, as large arrays of NumPy do, and nothing written beside the rows.
void expect_bits_after_line_start(const FilterDesc& desc, std::size_t bytes) {
    const auto noise = random_plane(count_of(desc.shape), 4);
    const std::vector<float> x(noise.begin(), noise.end());
    const ConstTensorView from{x.data(), storage_type(desc.precision), desc.shape};
    std::vector<float> expected(x.size());
    ASSERT_TRUE(FilterPlan::make(*Device::cpu(1), desc, Config{.stores = stores_through})
                    ->run(from, {expected.data(), from.type, desc.shape}));
    const std::int64_t stride = (desc.shape.w + 31) / 16 * 16;
    const std::int64_t behind = static_cast<std::int64_t>(bytes / sizeof(float));
    const auto count = static_cast<std::size_t>(stride * (desc.shape.h + 1));
    const support::AlignedArray<float> owner(count);
    const std::span<float> memory(owner.data(), count);
    std::ranges::fill(memory, -9.0F);
    float* const out = memory.data() + behind;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(out) % 64, bytes);
    const TensorView to{out, from.type, desc.shape, stride, 0};
    for (const bool in_place : {false, true}) {
        for (std::int64_t r = 0; in_place && r < desc.shape.h; ++r)
            std::copy_n(x.data() + r * desc.shape.w, desc.shape.w, out + r * stride);
        ASSERT_TRUE(FilterPlan::make(*Device::cpu(1), desc, Config{.stores = stores_past})
                        ->run(in_place ? ConstTensorView(to) : from, to));
        for (std::int64_t r = 0; r < desc.shape.h; ++r) {
            ASSERT_EQ(std::memcmp(out + r * stride, expected.data() + r * desc.shape.w,
                                  static_cast<std::size_t>(desc.shape.w) * sizeof(float)),
                      0)
                << describe(desc) << " " << desc.shape.w << " columns, row " << r << ", " << bytes
                << " bytes, in place " << in_place;
        }
    }
    EXPECT_EQ(std::ranges::count(memory, -9.0F), std::ssize(memory) - count_of(desc.shape));
}

TEST(FilterRun, NonTemporalStoresGiveTheSameBitsWhereverRowsBegin) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : {Border::mirror, Border::wrap, Border::constant}) {
            for (const std::int64_t w : {4, 13, 20, 32, 45, 560, 1100}) {
                for (const std::size_t bytes : {0, 4, 8, 16, 32, 48}) {
                    FilterDesc desc{.shape = {.h = 35, .w = w},
                                    .filter = {.id = id},
                                    .border = border,
                                    .start = border == Border::wrap ? Start::steady : Start::truncated};
                    expect_bits_after_line_start(desc, bytes);
                    desc.precision = Precision::mixed;
                    expect_bits_after_line_start(desc, bytes);
                    if (HasFailure()) return;
                }
            }
        }
    }
}

TEST(FilterRun, LongThinImages) {
    for (const auto& [w, h] : {std::pair{100'000, 1}, std::pair{1, 100'000}, std::pair{100'000, 3}}) {
        const FilterDesc desc{.shape = {.h = h, .w = w}, .filter = {.id = 4}};
        const auto x = random_plane(count_of(desc.shape), 8);
        const auto y = run_cpu(desc, x);
        ASSERT_TRUE(y);
        EXPECT_LE(max_abs_difference(*y, run_reference(desc, x)), 1e-5);
    }
}

TEST(FilterRun, NanAndInfinityStayInTheirPlaneAndPropagateAlongTheRecurrence) {
    for (const float special :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const FilterDesc desc{
            .shape = {.c = 2, .h = 20, .w = 20}, .filter = {.id = 1}, .border = Border::clamp};
        auto x = floats(count_of(desc.shape), 3);
        x[10 * 20 + 12] = special;
        const auto y = run_f32(desc, x, 2);
        const auto without = [&] {
            auto clean = x;
            clean[10 * 20 + 12] = 0.0F;
            return run_f32(desc, clean, 2);
        }();
        for (std::size_t i = 0; i < y.size(); ++i) {
            const bool second_plane = i >= 400;
            const std::size_t r = i % 400 / 20;
            const std::size_t c = i % 20;
            if (!second_plane && r >= 10 && c >= 12) {
                EXPECT_FALSE(std::isfinite(y[i])) << i;
            } else {
                EXPECT_EQ(y[i], without[i]) << i;
            }
        }
    }
}

// The start state of a line is made of its first samples: 0 times infinity is NaN there too, and nowhere
// else.
TEST(FilterRun, InfinityWhereALineStartsIsWhatArithmeticMakesOfIt) {
    for (const auto [border, start] : all_modes) {
        for (const auto& [row, column] :
             {std::pair<std::size_t, std::size_t>{15, 0}, {15, 1}, {15, 79}, {0, 30}, {1, 30}, {63, 30}}) {
            FilterDesc desc{
                .shape = {.h = 64, .w = 80}, .border = border, .border_const = 0.5, .start = start};
            auto x = random_plane(count_of(desc.shape), 6);
            const auto clean = *run_cpu(desc, x, 1);
            x[row * 80 + column] = std::numeric_limits<double>::infinity();
            SCOPED_TRACE(describe(desc) + " infinity at row " + std::to_string(row) + ", column " +
                         std::to_string(column));
            const auto y = *run_cpu(desc, x, 1);
            EXPECT_EQ(0, std::memcmp(y.data(), (*run_cpu(desc, x, 3)).data(), y.size() * sizeof(double)));
            const auto expected = run_reference(desc, x);
            // The first sample is its own border.
            const bool before_itself = column == 0 && (border == Border::clamp || border == Border::mirror);
            for (std::size_t i = 0; i < y.size(); ++i) {
                ASSERT_EQ(std::isfinite(y[i]), std::isfinite(expected[i])) << i;
                ASSERT_TRUE(!before_itself || std::isnan(y[i]) == std::isnan(expected[i])) << i;
                ASSERT_TRUE(!std::isfinite(y[i]) || y[i] == clean[i]) << i;
            }
        }
    }
}

TEST(FilterRun, FadingIntoSubnormalsEndsAtZero) {
    const FilterDesc desc{.shape = {.h = 1, .w = 20'000}, .filter = {.id = 1}, .border = Border::clamp};
    std::vector<float> x(20'000, 0.0F);
    x[0] = 1.0F;
    const auto y = run_f32(desc, x, 1);
    EXPECT_GT(y[10], 0.0F);
    EXPECT_EQ(y.back(), 0.0F);
    EXPECT_EQ(std::ranges::count_if(y, [](float v) { return std::fpclassify(v) == FP_SUBNORMAL; }), 0);
    // And the caller's own arithmetic keeps its subnormal numbers.
    volatile float tiny = std::numeric_limits<float>::min();
    EXPECT_GT(tiny / 2.0F, 0.0F);
}

TEST(FilterRun, CancelsAndReportsProgress) {
    const FilterDesc desc{.shape = {.c = 3, .h = 1500, .w = 1500}, .filter = {.id = 6}};
    std::vector<float> x(static_cast<std::size_t>(count_of(desc.shape)), 0.5F);
    std::vector<float> y(x.size());
    const auto run = [&](const RunControl& control) {
        return plan_of(desc, 1).run({x.data(), ElementType::f32, desc.shape},
                                    {y.data(), ElementType::f32, desc.shape}, control);
    };
    std::vector<double> fractions;
    ASSERT_TRUE(run({.progress = [&](double f) { fractions.push_back(f); }}));
    ASSERT_FALSE(fractions.empty());
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_GE(fractions.front(), 0.0);
    EXPECT_DOUBLE_EQ(fractions.back(), 1.0);
    std::stop_source stop;
    const auto cancelled = run({.stop = stop.get_token(), .progress = [&](double f) {
                                    if (f > 0.2) stop.request_stop();
                                }});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
}

TEST(FilterRun, RefusesViewsUnlikeThePlanAndWritesNothing) {
    const FilterDesc desc{.shape = {.h = 4, .w = 6}, .filter = {.id = 1}};
    const auto plan = plan_of(desc);
    std::vector<float> x(100, 1.0F);
    std::vector<float> y(100, 5.0F);
    const ConstTensorView good_x{x.data(), ElementType::f32, desc.shape};
    const TensorView good_y{y.data(), ElementType::f32, desc.shape};
    const auto refused = [&](const ConstTensorView& vx, const TensorView& vy, const char* words) {
        const auto done = plan.run(vx, vy);
        ASSERT_FALSE(done);
        EXPECT_THAT(done.error().message, HasSubstr(words));
    };
    refused({x.data(), ElementType::f32, {.h = 4, .w = 5}}, good_y, "[1, 1, 4, 5]");
    refused({x.data(), ElementType::f64, desc.shape}, good_y, "f64");
    refused({nullptr, ElementType::f32, desc.shape}, good_y, "x");
    refused(good_x, {y.data(), ElementType::f32, {.h = 6, .w = 4}}, "[1, 1, 6, 4]");
    refused({x.data(), ElementType::f32, desc.shape, 3}, good_y, "3");
    EXPECT_EQ(std::ranges::count(y, 5.0F), 100);
    refused({x.data(), ElementType::f32, desc.shape}, {x.data() + 1, ElementType::f32, desc.shape},
            "overlap");
    EXPECT_EQ(std::ranges::count(x, 1.0F), 100);
}

TEST(FilterRun, RefusesPlanesThatLieOverEachOtherAndTornElements) {
    const FilterDesc desc{.shape = {.c = 3, .h = 4, .w = 6}, .filter = {.id = 1}};
    const auto plan = plan_of(desc);
    std::vector<float> x(200, 1.0F);
    std::vector<float> y(200, 5.0F);
    const auto run = [&](const void* in, void* out, std::int64_t row, std::int64_t plane) {
        return plan.run({in, ElementType::f32, desc.shape}, {out, ElementType::f32, desc.shape, row, plane});
    };
    for (const auto& [row, plane] : {std::pair{6, 1}, std::pair{6, 23}, std::pair{17, 6}, std::pair{18, 5}}) {
        const auto done = run(x.data(), y.data(), row, plane);
        ASSERT_FALSE(done) << row << " " << plane;
        EXPECT_EQ(done.error().code, ErrorCode::invalid_dimension);
        EXPECT_THAT(done.error().message, HasSubstr("plane_stride " + std::to_string(plane)));
    }
    const auto torn = run(reinterpret_cast<const std::byte*>(x.data()) + 1, y.data(), 0, 0);
    ASSERT_FALSE(torn);
    EXPECT_THAT(torn.error().message, HasSubstr("4 bytes"));
    EXPECT_EQ(std::ranges::count(y, 5.0F), 200);

    // Planes one after the other, and the three of them row by row beside each other, give the same pixels.
    ASSERT_TRUE(run(x.data(), y.data(), 6, 24));
    std::vector<float> beside(200, 5.0F);
    ASSERT_TRUE(run(x.data(), beside.data(), 18, 6));
    for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t r = 0; r < 4; ++r) {
            for (std::size_t c = 0; c < 6; ++c)
                EXPECT_EQ(beside[r * 18 + p * 6 + c], y[p * 24 + r * 6 + c]) << p << " " << r << " " << c;
        }
    }
}

TEST(FilterPlanMake, ChecksInTheContractsOrder) {
    const auto device = *Device::cpu(1);
    FilterDesc desc{.shape = {.h = 0, .w = 5}, .filter = {.id = 99}, .border = static_cast<Border>(9)};
    EXPECT_EQ(FilterPlan::make(device, desc).error().code, ErrorCode::invalid_dimension);
    EXPECT_THAT(FilterPlan::make(device, desc).error().message, HasSubstr("height is 0"));
    desc.shape.h = 5;
    EXPECT_EQ(FilterPlan::make(device, desc).error().code, ErrorCode::invalid_filter_id);
    desc.filter.id = 1;
    EXPECT_EQ(FilterPlan::make(device, desc).error().code, ErrorCode::invalid_border_mode);
    desc.border = Border::clamp;
    desc.precision = static_cast<Precision>(7);
    EXPECT_EQ(FilterPlan::make(device, desc).error().code, ErrorCode::invalid_precision);
    desc.precision = Precision::f32;
    EXPECT_TRUE(FilterPlan::make(device, desc));
    desc.shape = {.n = 1 << 20, .c = 1 << 20, .h = 1 << 20, .w = 1 << 20};
    EXPECT_EQ(FilterPlan::make(device, desc).error().code, ErrorCode::invalid_dimension);
    // Making a plan for 65536 x 65536 computes nothing and overflows nothing.
    desc.shape = {.h = 65536, .w = 65536};
    const auto huge = FilterPlan::make(device, desc);
    ASSERT_TRUE(huge);
    EXPECT_EQ(huge->output_shape().w, 65536);
}

TEST(FilterPlanMake, SaysWhichKernelItChose) {
    const auto plan = plan_of({.filter = {.id = 5}, .precision = Precision::mixed});
    EXPECT_EQ(plan.kernel().backend, Backend::cpu);
    EXPECT_EQ(plan.kernel().name, "iir_raster");
    EXPECT_EQ(plan.kernel().element, ElementType::f32);
    EXPECT_FALSE(plan.kernel().architecture.empty());
    EXPECT_EQ(plan.precision().accumulator, ElementType::f64);
    EXPECT_TRUE(plan.precision().deterministic);
    EXPECT_EQ(plan.workspace_bytes(), 0u);
}

TEST(FilterPlanMake, RefusesFiltersThatFloatCannotHold) {
    // A pole so near the circle that rounding the feedback to float puts it on it.
    const FilterSpec spec{.id = 3, .parameters = {{"a1", 1.0 - 1e-9}, {"a2", 0.0}}};
    const auto device = *Device::cpu(1);
    EXPECT_FALSE(FilterPlan::make(device, {.filter = spec, .precision = Precision::f32}));
    EXPECT_TRUE(FilterPlan::make(device, {.filter = spec, .precision = Precision::f64}));
}

}  // namespace
