// SPDX-License-Identifier: MIT
// A sum of a causal and an anticausal cascade has the bits of its halves, each filtered alone, added up: in
// whichever blocks, tiles and bands the two meet, and whatever is kept between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/iir/adjoint.h"
#include "kernels/iir/cpu.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;

struct Halves {
    std::vector<Section> causal;
    std::vector<Section> anticausal;
};

const Section one_term{.order = 1, .b = {0.3, 0, 0}, .a = {0.7, 0}, .start_b = {0.3, 0, 0}};
const Section three_terms{.order = 2, .b = {0.2, 0.3, 0.1}, .a = {0.9, -0.3}, .start_b = {0.2, 0.3, 0.1}};
const Section delayed{.order = 2, .b = {0, 0.4, -0.1}, .a = {0.8, -0.2}, .start_b = {0.4, -0.1, 0}};
const Section unchanged{.order = 0, .b = {1, 0, 0}, .a = {0, 0}, .start_b = {1, 0, 0}};

// Along rows, or down columns of rows that stay as they are.
FilterData along(bool columns, Stage stage) {
    const AxisFilter none{{{.kind = Stage::Kind::causal, .sections = {unchanged}}}};
    const AxisFilter axis{{std::move(stage)}};
    return columns ? FilterData{none, axis} : FilterData{axis, none};
}

template <class S>
std::vector<S> run_job(const iir::CpuJob& job, const std::vector<S>& x, const FilterDesc& desc) {
    std::vector<S> y(x.size());
    const ElementType type = storage_type(desc.precision);
    const std::int64_t plane = desc.shape.h * desc.shape.w;
    EXPECT_TRUE(iir::forward_cpu(job, {x.data(), type, desc.shape, desc.shape.w, plane},
                                 {y.data(), type, desc.shape, desc.shape.w, plane}, {}));
    return y;
}

template <class S>
std::vector<S> filtered_by(const std::vector<S>& x, const FilterDesc& desc, const FilterData& filter,
                           int threads) {
    return run_job(iir::make_cpu_job(desc, filter, threads), x, desc);
}

// The samples of a plane in rows that lie further apart, which a job filters in place.
template <class S>
std::vector<S> filtered_in_place(const std::vector<S>& x, const FilterDesc& desc, const FilterData& filter,
                                 int threads) {
    const std::int64_t w = desc.shape.w;
    const std::int64_t stride = w + 5;
    std::vector<S> plane(static_cast<std::size_t>(desc.shape.h * stride), S{-7});
    for (std::int64_t r = 0; r < desc.shape.h; ++r)
        std::copy_n(x.begin() + r * w, w, plane.begin() + r * stride);
    const ElementType type = storage_type(desc.precision);
    const std::int64_t size = desc.shape.h * stride;
    EXPECT_TRUE(iir::forward_cpu(iir::make_cpu_job(desc, filter, threads),
                                 {plane.data(), type, desc.shape, stride, size},
                                 {plane.data(), type, desc.shape, stride, size}, {}));
    std::vector<S> y;
    for (std::int64_t r = 0; r < desc.shape.h; ++r) {
        const auto row = plane.begin() + r * stride;
        y.insert(y.end(), row, row + w);
        EXPECT_TRUE(std::all_of(row + w, row + stride, [](S v) { return v == S{-7}; }));
    }
    return y;
}

template <class S>
void expect_sums_of_halves(const Shape& shape, const Halves& halves) {
    const FilterDesc desc{.shape = shape,
                          .border = Border::clamp,
                          .precision = sizeof(S) == sizeof(float) ? Precision::f32 : Precision::f64};
    const auto noise = random_plane(count_of(shape), 43);
    const std::vector<S> x(noise.begin(), noise.end());
    for (const bool columns : {false, true}) {
        SCOPED_TRACE(describe(desc) + (columns ? " columns" : " rows"));
        const auto half = [&](Stage::Kind kind, const std::vector<Section>& sections) {
            return filtered_by(x, desc, along(columns, {.kind = kind, .sections = sections}), 1);
        };
        const std::vector<S> forwards = half(Stage::Kind::causal, halves.causal);
        const std::vector<S> backwards = half(Stage::Kind::anticausal, halves.anticausal);
        std::vector<S> expected(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) expected[i] = backwards[i] + forwards[i];
        const FilterData sum = along(
            columns, {.kind = Stage::Kind::sum, .causal = halves.causal, .anticausal = halves.anticausal});
        ASSERT_EQ(filtered_by(x, desc, sum, 1), expected);
        ASSERT_EQ(filtered_in_place(x, desc, sum, 1), expected);
        if (count_of(shape) < 1 << 16) continue;
        ASSERT_EQ(filtered_by(x, desc, sum, 3), expected);
        ASSERT_EQ(filtered_in_place(x, desc, sum, 3), expected);
    }
}

TEST(SumOrder, ASumHasTheBitsOfItsHalves) {
    for (const auto& [w, h] : {std::pair{1, 1},
                               {1, 70},
                               {70, 1},
                               {5, 33},
                               {33, 31},
                               {64, 32},
                               {65, 64},
                               {100, 65},
                               {130, 97},
                               {1100, 131},
                               {4200, 20}}) {
        const Shape shape{.h = h, .w = w};
        for (const Halves& halves : {Halves{{three_terms}, {delayed}}, Halves{{one_term}, {three_terms}},
                                     Halves{{three_terms, one_term}, {delayed}}}) {
            expect_sums_of_halves<float>(shape, halves);
            expect_sums_of_halves<double>(shape, halves);
        }
    }
}

// A sum's second half is not rounded to float before the first is added, so the bits are not those of the
// halves. They are those of a few columns alone, which are swept one half after the other, and of their rows.
TEST(SumOrder, AMixedSumOfManyColumnsHasTheBitsOfFew) {
    constexpr std::int64_t few = 9;
    const FilterData sum =
        along(true, {.kind = Stage::Kind::sum, .causal = {three_terms}, .anticausal = {delayed}});
    for (const auto& [w, h] : {std::pair{33, 31}, {130, 97}, {600, 131}}) {
        const FilterDesc desc{
            .shape = {.h = h, .w = w}, .border = Border::clamp, .precision = Precision::mixed};
        FilterDesc narrow = desc;
        narrow.shape.w = few;
        const auto noise = random_plane(count_of(desc.shape), 44);
        const std::vector<float> x(noise.begin(), noise.end());
        const auto first_columns = [&](const std::vector<float>& plane) {
            std::vector<float> columns;
            for (std::int64_t r = 0; r < desc.shape.h; ++r)
                columns.insert(columns.end(), plane.begin() + r * desc.shape.w,
                               plane.begin() + r * desc.shape.w + few);
            return columns;
        };
        const auto expected = filtered_by(first_columns(x), narrow, sum, 1);
        EXPECT_EQ(first_columns(filtered_by(x, desc, sum, 1)), expected) << describe(desc);
        EXPECT_EQ(first_columns(filtered_by(x, desc, sum, 3)), expected) << describe(desc);
        EXPECT_EQ(first_columns(filtered_in_place(x, desc, sum, 3)), expected) << describe(desc);
    }
}

// The adjoint of a sum, whose first half comes from below: without borders, so that nothing is added at ends.
TEST(SumOrder, AnAdjointSumHasTheBitsOfItsHalves) {
    for (const auto& [w, h] : {std::pair{5, 33}, {33, 31}, {130, 97}, {600, 131}}) {
        const FilterDesc desc{.shape = {.h = h, .w = w}, .border = Border::constant};
        const auto noise = random_plane(count_of(desc.shape), 45);
        const std::vector<float> x(noise.begin(), noise.end());
        for (const bool columns : {false, true}) {
            SCOPED_TRACE(describe(desc) + (columns ? " columns" : " rows"));
            const auto adjoint = [&](const Stage& stage, int threads) {
                return run_job(iir::make_adjoint_job(desc, along(columns, stage), threads), x, desc);
            };
            const auto causal = adjoint({.kind = Stage::Kind::causal, .sections = {three_terms}}, 1);
            const auto anticausal = adjoint({.kind = Stage::Kind::anticausal, .sections = {delayed}}, 1);
            std::vector<float> expected(x.size());
            std::ranges::transform(causal, anticausal, expected.begin(), std::plus{});
            const Stage sum{.kind = Stage::Kind::sum, .causal = {three_terms}, .anticausal = {delayed}};
            EXPECT_EQ(adjoint(sum, 1), expected);
            EXPECT_EQ(adjoint(sum, 3), expected);
        }
    }
}

// Planes that threads share at once: of one of them columns are lost from the NaN on, as the rows' sweep
// goes, and nothing else.
TEST(SumOrder, ANanStaysInItsPlane) {
    const FilterDesc desc{.shape = {.c = 3, .h = 150, .w = 260}, .border = Border::clamp};
    const std::int64_t size = desc.shape.h * desc.shape.w;
    const FilterData sum =
        along(true, {.kind = Stage::Kind::sum, .causal = {three_terms}, .anticausal = {delayed}});
    const auto noise = random_plane(count_of(desc.shape), 46);
    std::vector<float> x(noise.begin(), noise.end());
    const auto whole = filtered_by(x, desc, sum, 1);
    x[static_cast<std::size_t>(size + 70 * desc.shape.w + 100)] = std::numeric_limits<float>::quiet_NaN();
    for (const int threads : {1, 2, 8}) {
        const auto y = filtered_by(x, desc, sum, threads);
        for (std::int64_t i = 0; i < count_of(desc.shape); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const bool lost = i / size == 1 && i % desc.shape.w >= 100;
            if (lost) {
                ASSERT_TRUE(std::isnan(y[at])) << i << ", " << threads;
            } else {
                ASSERT_EQ(y[at], whole[at]) << i << ", " << threads;
            }
        }
    }
}

}  // namespace
