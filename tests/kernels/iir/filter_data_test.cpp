// SPDX-License-Identifier: MIT
// Plans of any filter data, of 16-bit planes, and of images that lie apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "iir2d/convert.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using iir_test::count_of;
using iir_test::max_abs_difference;
using iir_test::random_plane;
using iir_test::run_reference;
using ::testing::HasSubstr;

// Of no row of the table: a second-order cascade one way, a sum of unlike cascades the other.
FilterData any_filter(double a) {
    const Section one{.order = 1, .b = {1.0 - a, 0, 0}, .a = {a, 0}, .start_b = {1.0 - a, 0, 0}};
    const Section two{.order = 2, .b = {0.3, 0.1, 0.2}, .a = {0.5, -0.2}, .start_b = {0.3, 0.1, 0.2}};
    return {.horizontal = {{{.kind = Stage::Kind::anticausal, .sections = {two, one}}}},
            .vertical = {{{.kind = Stage::Kind::sum, .causal = {one}, .anticausal = {two}},
                          {.kind = Stage::Kind::causal, .sections = {one}}}}};
}

std::vector<double> run(const FilterDesc& desc, const std::vector<double>& x) {
    const auto y = iir_test::run_cpu(desc, x);
    EXPECT_TRUE(y) << (y ? "" : y.error().message);
    return y.value_or(std::vector<double>{});
}

TEST(FilterDataPlan, DataStandsInPlaceOfARow) {
    const Shape shape{.n = 1, .c = 2, .h = 17, .w = 40};
    const auto x = random_plane(count_of(shape), 1);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        FilterDesc desc{.shape = shape, .filter = {.id = id}, .precision = Precision::f64};
        const auto by_row = run(desc, x);
        desc.data = {*make_filter(desc.filter)};
        desc.filter.id = 99;  // not read
        EXPECT_EQ(run(desc, x), by_row) << id;
        EXPECT_EQ(run_reference(desc, x), run_reference({.shape = shape, .filter = {.id = id}}, x)) << id;
    }
}

TEST(FilterDataPlan, AnyFilterAgreesWithTheReference) {
    const Shape shape{.n = 2, .c = 1, .h = 45, .w = 51};
    const auto x = random_plane(count_of(shape), 2);
    for (const auto [border, start] : iir_test::all_modes) {
        for (const Precision precision : iir_test::all_precisions) {
            const FilterDesc desc{.shape = shape,
                                  .border = border,
                                  .border_const = 0.5,
                                  .precision = precision,
                                  .start = start,
                                  .data = {any_filter(0.7)}};
            const auto bound = FilterPlan::make(*Device::cpu(1), desc)->precision().max_abs_error;
            EXPECT_LE(max_abs_difference(run(desc, x), run_reference(desc, x)), *bound)
                << iir_test::describe(desc);
        }
    }
}

TEST(FilterDataPlan, OneForEachPlane) {
    const Shape shape{.n = 2, .c = 3, .h = 12, .w = 19};
    const auto x = random_plane(count_of(shape), 3);
    FilterDesc desc{.shape = shape, .precision = Precision::f64};
    for (int plane = 0; plane < 6; ++plane) desc.data.push_back(any_filter(0.1 * plane));
    const auto all = run(desc, x);
    EXPECT_LE(max_abs_difference(all, run_reference(desc, x)), 1e-12);
    for (std::ptrdiff_t plane = 0; plane < 6; ++plane) {
        FilterDesc one = desc;
        one.shape = {.h = 12, .w = 19};
        one.data = {desc.data[static_cast<std::size_t>(plane)]};
        EXPECT_EQ(run(one, {x.begin() + plane * 228, x.begin() + (plane + 1) * 228}),
                  std::vector<double>(all.begin() + plane * 228, all.begin() + (plane + 1) * 228));
    }
}

TEST(FilterDataPlan, RefusesDataThatNoBackendRuns) {
    const auto refuse = [](const std::vector<FilterData>& data, const char* sentence) {
        const auto plan = FilterPlan::make(*Device::cpu(1), {.shape = {.c = 2}, .data = data});
        ASSERT_FALSE(plan) << sentence;
        EXPECT_EQ(plan.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(plan.error().message, HasSubstr(sentence));
    };
    const FilterData good = any_filter(0.5);
    refuse({good, good, good}, "data has 3 filters: give 1, or one for each of the 2 planes");
    FilterData bad = good;
    bad.vertical.stages.clear();
    refuse({bad}, "an axis of the filter has no stage");
    bad = good;
    bad.horizontal.stages[0].sections.clear();
    refuse({bad}, "it needs sections");
    bad = good;
    bad.vertical.stages[0].anticausal.clear();
    refuse({bad}, "it needs a causal and an anticausal cascade");
    const auto with = [&](Section section) {
        FilterData data = good;
        data.horizontal.stages[0].sections[1] = section;
        return data;
    };
    refuse({with({.order = 3})}, "order 3");
    refuse({good, with({.order = 1, .a = {1.0, 0}})}, "unstable: a pole has magnitude 1");
    refuse({with({.order = 1, .a = {0.5, 0.1}})}, "beyond its order 1");
    refuse({with({.order = 0, .b = {1.0, 0.5, 0}})}, "beyond its order 0");
    refuse({with({.order = 1, .b = {std::numeric_limits<double>::infinity(), 0, 0}})}, "not finite");
}

TEST(FilterDataPlan, ElementsGoWithPrecisions) {
    const auto make = [](Precision precision, ElementType element) {
        return FilterPlan::make(*Device::cpu(1), {.precision = precision, .element = element});
    };
    for (const Precision precision : {Precision::f32, Precision::mixed}) {
        EXPECT_EQ(make(precision, ElementType::f64).error().code, ErrorCode::invalid_precision);
        for (const ElementType element : {ElementType::f16, ElementType::bf16}) {
            const auto plan = make(precision, element);
            ASSERT_TRUE(plan);
            EXPECT_EQ(plan->kernel().element, element);
            EXPECT_THAT(plan->precision().statement,
                        HasSubstr("rounded once to " + std::string(name_of(element))));
            EXPECT_EQ(make(Precision::f64, element).error().code, ErrorCode::invalid_precision);
        }
    }
    EXPECT_TRUE(make(Precision::f64, ElementType::f64));
    // Views are of the plan's type.
    std::vector<float> x(1);
    EXPECT_THAT(make(Precision::f32, ElementType::f16)
                    ->run({x.data(), ElementType::f32, {}}, {x.data(), ElementType::f32, {}})
                    .error()
                    .message,
                HasSubstr("x is f32, the plan is for f16"));
}

TEST(FilterDataPlan, SixteenBitPlanesAreThoseOfF32RoundedOnce) {
    const Shape shape{.n = 2, .c = 2, .h = 31, .w = 44};
    const auto count = static_cast<std::size_t>(count_of(shape));
    const auto values = random_plane(count_of(shape), 4);
    std::vector<float> wide(values.begin(), values.end());
    std::vector<std::uint16_t> x(count);
    std::vector<std::uint16_t> expected(count);
    convert_elements(wide.data(), ElementType::f32, x.data(), ElementType::bf16, count);
    convert_elements(x.data(), ElementType::bf16, wide.data(), ElementType::f32, count);
    FilterDesc desc{.shape = shape, .filter = {.id = 6}};
    const TensorView in_f32{wide.data(), ElementType::f32, shape};
    ASSERT_TRUE(FilterPlan::make(*Device::cpu(2), desc)->run(in_f32, in_f32));
    convert_elements(wide.data(), ElementType::f32, expected.data(), ElementType::bf16, count);
    desc.element = ElementType::bf16;
    const TensorView view{x.data(), ElementType::bf16, shape};
    ASSERT_TRUE(FilterPlan::make(*Device::cpu(2), desc)->run(view, view));
    EXPECT_EQ(x, expected);
}

TEST(FilterDataPlan, ImagesMayLieApartAndRepeat) {
    const Shape shape{.n = 2, .c = 2, .h = 3, .w = 5};
    const auto values = random_plane(400, 5);
    const std::vector<float> memory(values.begin(), values.end());
    const auto plan = *FilterPlan::make(*Device::cpu(1), {.shape = shape, .filter = {.id = 1}});
    const auto run_view = [&](std::int64_t row, std::int64_t plane, std::int64_t image) {
        std::vector<float> y(60);
        const auto done = plan.run({memory.data(), ElementType::f32, shape, row, plane, image},
                                   {y.data(), ElementType::f32, shape});
        EXPECT_TRUE(done) << done.error().message;
        return y;
    };
    const auto dense_of = [&](std::int64_t row, std::int64_t plane, std::int64_t image) {
        std::vector<float> x;
        for (std::int64_t i = 0; i < 60; ++i) {
            x.push_back(memory[static_cast<std::size_t>(i / 30 * image + i / 15 % 2 * plane +
                                                        i / 5 % 3 * row + i % 5)]);
        }
        std::vector<float> y(60);
        EXPECT_TRUE(plan.run({x.data(), ElementType::f32, shape}, {y.data(), ElementType::f32, shape}));
        return y;
    };
    EXPECT_EQ(run_view(6, 20, 200), dense_of(6, 20, 200));
    EXPECT_EQ(run_view(6, 200, 20), dense_of(6, 200, 20));
    EXPECT_EQ(run_view(0, 0, 0), dense_of(5, 15, 30));
    EXPECT_EQ(run_view(6, 20, repeated), dense_of(6, 20, 0));
    EXPECT_EQ(run_view(6, repeated, 100), dense_of(6, 0, 100));
    EXPECT_EQ(run_view(0, repeated, repeated), dense_of(5, 0, 0));
    // What is written repeats nothing.
    std::vector<float> y(60, 5.0F);
    for (const auto& [plane, image] :
         {std::pair{repeated, std::int64_t{100}}, std::pair{std::int64_t{15}, repeated},
          std::pair{std::int64_t{15}, std::int64_t{20}}}) {
        const auto done = plan.run({memory.data(), ElementType::f32, shape},
                                   {y.data(), ElementType::f32, shape, 5, plane, image});
        ASSERT_FALSE(done);
        EXPECT_THAT(done.error().message, HasSubstr("lie over each other"));
    }
    const auto negative =
        plan.run({memory.data(), ElementType::f32, shape, 5, 15, -2}, {y.data(), ElementType::f32, shape});
    ASSERT_FALSE(negative);
    EXPECT_THAT(negative.error().message, HasSubstr("x: image_stride -2 is negative"));
    EXPECT_EQ(y, std::vector<float>(60, 5.0F));
}

}  // namespace
