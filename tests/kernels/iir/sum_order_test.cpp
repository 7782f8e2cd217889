// SPDX-License-Identifier: MIT
// A sum of a causal and an anticausal cascade has the bits of its halves, each filtered alone, added up: in
// whichever blocks, tiles and bands the two meet, and whatever is kept between them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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
std::vector<S> filtered_by(const std::vector<S>& x, const FilterDesc& desc, const FilterData& filter,
                           int threads) {
    const auto job = iir::make_cpu_job(desc, filter, threads);
    std::vector<S> y(x.size());
    const ElementType type = storage_type(desc.precision);
    const std::int64_t plane = count_of(desc.shape);
    EXPECT_TRUE(iir::forward_cpu(job, {x.data(), type, desc.shape, desc.shape.w, plane},
                                 {y.data(), type, desc.shape, desc.shape.w, plane}, {}));
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
        if (count_of(shape) < 1 << 16) continue;
        ASSERT_EQ(filtered_by(x, desc, sum, 3), expected);
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

}  // namespace
