// SPDX-License-Identifier: MIT
// iir2d_filter.h and what 1.2 added to iir2d_core.h, on the CPU and without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "iir2d/convert.h"
#include "iir2d/iir2d_filter.h"
#include "tests/kernels/iir/filter_c_testing.h"

namespace {

using namespace filter_c_testing;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(FilterCApi, TellsTheTableOfFilters) {
    for (const FilterRow& row : filter_table()) {
        std::int32_t count = -1;
        ASSERT_EQ(iir2d_filter_count(row.id, &count), IIR2D_STATUS_OK);
        ASSERT_EQ(static_cast<std::size_t>(count), row.parameters.size());
        EXPECT_EQ(iir2d_filter_key(row.id), row.key);
        for (std::int32_t i = 0; i < count; ++i) {
            const FilterParameter& expected = row.parameters[static_cast<std::size_t>(i)];
            const char* name = nullptr;
            double values[3] = {};
            std::int32_t is_switch = -1;
            ASSERT_EQ(
                iir2d_filter_parameter(row.id, i, &name, &values[0], &values[1], &values[2], &is_switch),
                IIR2D_STATUS_OK);
            EXPECT_EQ(name, expected.name);
            EXPECT_EQ(values[0], expected.minimum);
            EXPECT_EQ(values[1], expected.maximum);
            EXPECT_EQ(values[2], expected.default_value);
            EXPECT_EQ(is_switch, expected.is_switch ? 1 : 0);
        }
    }
    std::int32_t number = 77;
    double value = 77.0;
    const char* name = "untouched";
    EXPECT_EQ(iir2d_filter_count(9, &number), IIR2D_STATUS_INVALID_FILTER_ID);
    EXPECT_STREQ(iir2d_last_error(), "filter 9 does not exist: filters are 1 to 8");
    EXPECT_EQ(iir2d_filter_count(1, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_filter_key(0), nullptr);
    EXPECT_EQ(iir2d_filter_key(9), nullptr);
    EXPECT_EQ(iir2d_filter_parameter(0, 0, &name, &value, &value, &value, &number),
              IIR2D_STATUS_INVALID_FILTER_ID);
    for (const int index : {-1, 2}) {
        EXPECT_EQ(iir2d_filter_parameter(6, index, &name, &value, &value, &value, &number),
                  IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_THAT(iir2d_last_error(), HasSubstr("index is " + std::to_string(index)));
    }
    EXPECT_EQ(iir2d_filter_parameter(6, 0, nullptr, &value, &value, &value, &number),
              IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_filter_parameter(6, 0, &name, &value, &value, &value, nullptr),
              IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "is_switch is null");
    EXPECT_EQ(number, 77);
    EXPECT_EQ(value, 77.0);
    EXPECT_STREQ(name, "untouched");
}

template <class T>
void compare_with_plans(Precision precision) {
    const Shape shape{2, 3, 13, 41};
    const auto x = planes<T>(count_of(shape));
    for (int id = 1; id <= 8; ++id) {
        for (const Border border : iir_test::all_borders) {
            for (const Start start : iir_test::all_starts) {
                IIR2D_FilterParams p = params(shape, id, precision);
                p.border_mode = static_cast<int>(border);
                p.border_const = 0.25;
                p.start = static_cast<int>(start);
                p.normalise_gain = id % 2;
                const auto plan = FilterPlan::make(*Device::cpu(), desc_of(p));
                ASSERT_TRUE(plan) << plan.error().message;
                std::vector<T> expected(x.size());
                const auto element = static_cast<ElementType>(p.element);
                ASSERT_TRUE(plan->run({x.data(), element, shape}, {expected.data(), element, shape}));
                EXPECT_EQ(forward(p, x), expected) << iir_test::describe(desc_of(p));
            }
        }
    }
}

TEST(FilterCApi, ForwardHasThePlansBits) {
    compare_with_plans<float>(Precision::f32);
    compare_with_plans<float>(Precision::mixed);
    compare_with_plans<double>(Precision::f64);
}

TEST(FilterCApi, DefaultsHaveTheBitsOfThePlainForward) {
    const auto x = planes<float>(37 * 29);
    for (int id = 1; id <= 8; ++id) {
        std::vector<float> expected(x.size());
        const IIR2D_Params plain{37, 29, id, IIR2D_BORDER_WRAP, 0.0F, IIR2D_PRECISION_MIXED};
        ASSERT_EQ(iir2d_forward_cpu(x.data(), expected.data(), &plain), IIR2D_STATUS_OK);
        IIR2D_FilterParams p = params({1, 1, 29, 37}, id, Precision::mixed);
        p.border_mode = IIR2D_BORDER_WRAP;
        EXPECT_EQ(forward(p, x), expected) << id;
        p.parameter_sets = 0;  // as 1, where there are no parameters
        EXPECT_EQ(forward(p, x), expected) << id;
    }
}

TEST(FilterCApi, ParametersStandInTheTablesOrderAndNanIsTheDefault) {
    const Shape shape{1, 1, 24, 31};
    const auto x = planes<double>(count_of(shape));
    IIR2D_FilterParams p = params(shape, 4, Precision::f64);
    const double values[] = {0.3, nan, 0.1, nan, -0.2, nan, 0.05, nan, nan, -0.1};
    p.parameters = values;
    FilterDesc desc = desc_of(p);
    desc.filter.parameters = {
        {"b0", 0.3}, {"b2", 0.1}, {"a2", -0.2}, {"second_b1", 0.05}, {"second_a2", -0.1}};
    EXPECT_EQ(forward(p, x), *iir_test::run_cpu(desc, x));
}

// Everything is wrong at first, and put right in the order of the checks.
TEST(FilterCApi, ChecksInTheContractsOrderAndWritesNothing) {
    const std::vector<double> x(64, 1.0);
    std::vector<double> y(64, 5.0);
    const double values[] = {2.0};
    IIR2D_FilterParams p{};
    p.size = 8;
    p.filter_id = 9;
    p.border_mode = 4;
    p.precision = 3;
    p.element = 7;
    p.start = 2;
    p.normalise_gain = 2;
    p.n = p.c = 1;
    p.width = 4;
    p.x_stride[2] = 3;
    p.y_stride[2] = 3;
    p.parameters = values;
    p.parameter_sets = 3;
    p.threads = -1;
    const auto fails = [&](int status, const char* sentence) {
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), status) << sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(sentence));
        EXPECT_EQ(iir2d_filter_forward_cuda(x.data(), y.data(), &p, nullptr, 0, nullptr), status) << sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(sentence));
        std::size_t bytes = 77;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, &bytes), status) << sentence;
        EXPECT_EQ(bytes, 77U);
        EXPECT_EQ(y, std::vector<double>(64, 5.0));
    };
    EXPECT_EQ(iir2d_filter_forward_cpu(nullptr, y.data(), &p), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "x is null");
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), nullptr, &p), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "y is null");
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "params is null");
    EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, nullptr), IIR2D_STATUS_NULL_POINTER);
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "size is 8");
    p.size = sizeof p;
    fails(IIR2D_STATUS_INVALID_DIMENSION, "height is 0: it must be at least 1");
    p.height = 2;
    fails(IIR2D_STATUS_INVALID_DIMENSION, "x_stride[2] is 3: a row has 4 elements");
    p.x_stride[2] = 0;
    fails(IIR2D_STATUS_INVALID_DIMENSION, "y_stride[2] is 3: a row has 4 elements");
    p.y_stride[2] = 0;
    fails(IIR2D_STATUS_INVALID_FILTER_ID, "filter 9 does not exist");
    p.filter_id = 1;
    fails(IIR2D_STATUS_INVALID_BORDER_MODE, "border mode 4 is unknown: use 0 to 3");
    p.border_mode = 3;
    fails(IIR2D_STATUS_INVALID_PRECISION, "precision 3 is unknown: use 0 to 2");
    p.precision = IIR2D_PRECISION_F64;
    fails(IIR2D_STATUS_INVALID_PRECISION, "element 7 is unknown: use 0 to 3");
    p.element = IIR2D_ELEMENT_F16;
    fails(IIR2D_STATUS_INVALID_PRECISION, "precision f64 does not go with elements of f16");
    p.element = IIR2D_ELEMENT_F64;
    p.precision = IIR2D_PRECISION_F32;
    fails(IIR2D_STATUS_INVALID_PRECISION, "precision f32 does not go with elements of f64");
    p.precision = IIR2D_PRECISION_F64;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "start 2 is unknown: use 0 or 1");
    p.start = 1;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "normalise_gain is 2: give 0 or 1");
    p.normalise_gain = 0;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "threads is -1");
    p.threads = 1;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "parameter_sets is 3: give 1, or one for each of the 1 planes");
    p.parameter_sets = 0;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "parameter_sets is 0");
    p.parameter_sets = 1;
    fails(IIR2D_STATUS_INVALID_ARGUMENT, "alpha 2 of filter 1 (EMA) is out of range: give 0 to 0.999");
    p.parameters = nullptr;
    const auto* torn = reinterpret_cast<const char*>(x.data()) + 2;
    EXPECT_EQ(iir2d_filter_forward_cpu(torn, y.data(), &p), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_STREQ(iir2d_last_error(), "x: data is not at a multiple of its element's 8 bytes");
    EXPECT_EQ(iir2d_filter_forward_cpu(y.data(), y.data() + 1, &p), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("y overlaps x"));
    EXPECT_EQ(y, std::vector<double>(64, 5.0));
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), IIR2D_STATUS_OK);
    EXPECT_STREQ(iir2d_last_error(), "");
    EXPECT_EQ(iir2d_filter_forward_cuda(x.data(), y.data(), &p, nullptr, 0, nullptr),
              IIR2D_STATUS_CUDA_ERROR);
    EXPECT_STRNE(iir2d_last_error(), "");
}

TEST(FilterCApi, ErrorsNameTheFieldAndItsValue) {
    const std::vector<float> x(96, 1.0F);
    std::vector<float> y(96, 5.0F);
    const double unstable[] = {0.2, 0.2, 0.2, 1.5, 0.2};
    const double near_one[] = {0.2, 0.2, 0.2, 1.9999999, -0.9999999};
    const double second_set[] = {0.5, 0.5, 0.999, 1.0};
    const double infinite[] = {std::numeric_limits<double>::infinity()};
    struct Bad {
        void (*spoil)(IIR2D_FilterParams&);
        const double* parameters;
        int status;
        const char* sentence;
    };
    const Bad all[] = {
        {[](auto& p) { p.n = -1; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION, "n is -1"},
        {[](auto& p) { p.c = 0; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION, "c is 0"},
        {[](auto& p) { p.width = std::int64_t{1} << 60; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION,
         "63 bits"},
        {[](auto& p) { p.x_stride[0] = -1, p.x_stride[2] = 6; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION,
         "x_stride[0] is -1"},
        {[](auto& p) { p.x_stride[1] = std::int64_t{1} << 62, p.x_stride[2] = 6; }, nullptr,
         IIR2D_STATUS_INVALID_DIMENSION, "63 bits"},
        {[](auto& p) { p.y_stride[0] = 48, p.y_stride[2] = 6; }, nullptr, IIR2D_STATUS_INVALID_DIMENSION,
         "lie over each other"},
        {[](auto& p) { p.y_stride[0] = 24, p.y_stride[1] = 24, p.y_stride[2] = 6; }, nullptr,
         IIR2D_STATUS_INVALID_DIMENSION, "lie over each other"},
        {[](auto& p) { p.filter_id = 3; }, unstable, IIR2D_STATUS_INVALID_ARGUMENT, "unstable"},
        {[](auto& p) { p.filter_id = 3; }, near_one, IIR2D_STATUS_INVALID_ARGUMENT, "unstable in f32"},
        {[](auto& p) { p.parameter_sets = 4; }, second_set, IIR2D_STATUS_INVALID_ARGUMENT,
         "parameters of plane 3: alpha 1 of filter 1 (EMA) is out of range"},
        {[](auto&) {}, infinite, IIR2D_STATUS_INVALID_ARGUMENT, "alpha inf of filter 1"},
        {[](auto& p) { p.threads = 2000; }, nullptr, IIR2D_STATUS_INVALID_ARGUMENT, "threads is 2000"}};
    for (const Bad& bad : all) {
        IIR2D_FilterParams p = params({2, 2, 4, 6});
        bad.spoil(p);
        p.parameters = bad.parameters;
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &p), bad.status) << bad.sentence;
        EXPECT_THAT(iir2d_last_error(), HasSubstr(bad.sentence));
    }
    EXPECT_EQ(y, std::vector<float>(96, 5.0F));
}

TEST(FilterCApi, TheStructMayGrow) {
    struct Longer {
        IIR2D_FilterParams known;
        double later;
    };
    const std::vector<float> x(12, 1.0F);
    std::vector<float> y(12);
    Longer longer{params({1, 1, 3, 4}), 0.0};
    longer.known.size = sizeof longer;
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &longer.known), IIR2D_STATUS_OK);
    longer.later = 1.0;
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &longer.known), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("does not know"));
    for (const std::size_t size : {std::size_t{0}, sizeof(IIR2D_FilterParams) - 1, std::size_t{4097}}) {
        longer.known.size = size;
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &longer.known), IIR2D_STATUS_INVALID_ARGUMENT);
        EXPECT_THAT(iir2d_last_error(), HasSubstr("size is " + std::to_string(size)));
    }
}

// A view of planes in one array: the place of element (n, c, y, x).
struct Layout {
    std::int64_t strides[3];
    std::size_t at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
        return static_cast<std::size_t>(n * strides[0] + c * strides[1] + y * strides[2] + x);
    }
};

template <class F>
void for_each_element(const Shape& s, const F& f) {
    std::size_t i = 0;
    for (std::int64_t n = 0; n < s.n; ++n)
        for (std::int64_t c = 0; c < s.c; ++c)
            for (std::int64_t y = 0; y < s.h; ++y)
                for (std::int64_t x = 0; x < s.w; ++x) f(i++, n, c, y, x);
}

TEST(FilterCApi, ViewsHaveTheBitsOfTheirDenseCopies) {
    const Shape s{3, 2, 7, 19};
    const Layout views[] = {
        {{2 * 7 * 19, 7 * 19, 19}},  // dense, said in numbers
        {{1000, 300, 25}},           // gaps everywhere
        {{300, 1000, 25}},           // channels outside images
        {{19, 3 * 19, 6 * 19}},      // row by row beside each other
        {{0, 200, 20}},              // one image for all
        {{400, 0, 20}},              // one plane for each image
        {{0, 0, 19}},                // one plane for all
    };
    for (const int threads : {1, 2}) {
        for (const Layout& in : views) {
            for (const Layout& out : views) {
                if (out.strides[0] == 0 || out.strides[1] == 0) continue;
                const auto memory = planes<float>(4000, 8);
                std::vector<float> dense(static_cast<std::size_t>(count_of(s)));
                for_each_element(s, [&](std::size_t i, auto n, auto c, auto y, auto x) {
                    dense[i] = memory[in.at(n, c, y, x)];
                });
                IIR2D_FilterParams p = params(s, 6);
                p.threads = threads;
                const auto expected = forward(p, dense);
                std::copy_n(in.strides, 3, p.x_stride);
                std::copy_n(out.strides, 3, p.y_stride);
                std::vector<float> result(4000, -7.0F);
                ASSERT_EQ(iir2d_filter_forward_cpu(memory.data(), result.data(), &p), IIR2D_STATUS_OK)
                    << iir2d_last_error();
                for_each_element(s, [&](std::size_t i, auto n, auto c, auto y, auto x) {
                    float& value = result[out.at(n, c, y, x)];
                    EXPECT_EQ(value, expected[i]);
                    value = -7.0F;
                });
                EXPECT_EQ(std::ranges::count(result, -7.0F), 4000) << "a gap was written";
            }
        }
    }
}

TEST(FilterCApi, RunsInPlace) {
    const Shape s{2, 2, 9, 17};
    for (int id = 1; id <= 8; ++id) {
        const auto x = planes<float>(count_of(s));
        IIR2D_FilterParams p = params(s, id);
        auto y = x;
        ASSERT_EQ(iir2d_filter_forward_cpu(y.data(), y.data(), &p), IIR2D_STATUS_OK);
        EXPECT_EQ(y, forward(p, x)) << id;
    }
    // Strides that nothing is multiplied with do not tell views apart.
    IIR2D_FilterParams p = params({1, 1, 1, 5});
    p.y_stride[0] = 99;
    p.y_stride[2] = 7;
    std::vector<float> row(5, 1.0F);
    EXPECT_EQ(iir2d_filter_forward_cpu(row.data(), row.data(), &p), IIR2D_STATUS_OK) << iir2d_last_error();
}

TEST(FilterCApi, ParameterSetsAreALoopOverThePlanes) {
    for (const Shape& s : {Shape{2, 3, 11, 23}, Shape{1, 2, 300, 260}}) {
        for (int id = 1; id <= 8; ++id) {
            std::int32_t count = 0;
            ASSERT_EQ(iir2d_filter_count(id, &count), IIR2D_STATUS_OK);
            const std::int64_t sets = s.n * s.c;
            std::vector<double> values;
            for (std::int64_t set = 0; set < sets; ++set) {
                for (std::int32_t i = 0; i < count; ++i) {
                    const char* name = nullptr;
                    double low = 0;
                    double high = 0;
                    double initial = 0;
                    std::int32_t is_switch = 0;
                    ASSERT_EQ(iir2d_filter_parameter(id, i, &name, &low, &high, &initial, &is_switch),
                              IIR2D_STATUS_OK);
                    values.push_back(is_switch != 0 ? static_cast<double>(set % 2)
                                     : set == 1     ? nan
                                                    : initial * (1.0 + 0.03 * static_cast<double>(set)));
                }
            }
            const auto x = planes<float>(count_of(s));
            IIR2D_FilterParams p = params(s, id);
            p.parameters = values.data();
            p.parameter_sets = sets;
            const auto y = forward(p, x);
            p.n = p.c = 1;
            p.parameter_sets = 1;
            const auto plane = static_cast<std::size_t>(s.h * s.w);
            for (std::size_t set = 0; set < static_cast<std::size_t>(sets); ++set) {
                p.parameters = values.data() + set * static_cast<std::size_t>(count);
                const std::vector<float> one(x.begin() + static_cast<std::ptrdiff_t>(set * plane),
                                             x.begin() + static_cast<std::ptrdiff_t>((set + 1) * plane));
                const auto alone = forward(p, one);
                EXPECT_EQ(std::memcmp(alone.data(), y.data() + set * plane, plane * sizeof(float)), 0)
                    << id << " " << set;
            }
        }
    }
}

TEST(FilterCApi, SixteenBitElementsAreTheRoundedResultOfF32) {
    for (const Shape& s : {Shape{2, 2, 12, 31}, Shape{1, 1, 400, 333}}) {
        for (const auto element : {ElementType::f16, ElementType::bf16}) {
            for (const Precision precision : {Precision::f32, Precision::mixed}) {
                for (const int id : {1, 4, 6}) {
                    const auto count = static_cast<std::size_t>(count_of(s));
                    std::vector<std::uint16_t> x(count);
                    auto wide = planes<float>(count_of(s));
                    convert_elements(wide.data(), ElementType::f32, x.data(), element, count);
                    convert_elements(x.data(), element, wide.data(), ElementType::f32, count);
                    IIR2D_FilterParams p = params(s, id, precision);
                    const auto filtered = forward(p, wide);
                    std::vector<std::uint16_t> expected(count);
                    convert_elements(filtered.data(), ElementType::f32, expected.data(), element, count);
                    p.element = static_cast<int>(element);
                    EXPECT_EQ(forward(p, x), expected) << id;
                    ASSERT_EQ(iir2d_filter_forward_cpu(x.data(), x.data(), &p), IIR2D_STATUS_OK);
                    EXPECT_EQ(x, expected) << "in place";
                }
            }
        }
    }
}

TEST(FilterCApi, EveryNumberOfThreadsGivesTheSameBits) {
    const Shape s{1, 3, 270, 301};
    const auto x = planes<float>(count_of(s));
    for (const int id : {1, 5, 6}) {
        IIR2D_FilterParams p = params(s, id);
        p.threads = 1;
        const auto expected = forward(p, x);
        for (const int threads : {0, 2, 7}) {
            p.threads = threads;
            EXPECT_EQ(forward(p, x), expected) << threads;
        }
    }
}

TEST(FilterCApi, PollIsCalledByTheCallerAndCancels) {
    for (const auto& [element, sets] : {std::pair{IIR2D_ELEMENT_F32, 1}, std::pair{IIR2D_ELEMENT_F16, 1},
                                        std::pair{IIR2D_ELEMENT_F32, 2}}) {
        IIR2D_FilterParams p = params({1, 2, 3000, 3000}, 6);
        p.element = element;
        p.parameter_sets = sets;
        const double sigmas[] = {2.0, 0.0, 3.0, 0.0};
        p.parameters = sigmas;
        p.poll = Asked::poll;
        const std::size_t bytes = element == IIR2D_ELEMENT_F32 ? 4 : 2;
        std::vector<std::byte> x(2 * 3000 * 3000 * bytes);
        Asked asked;
        p.user = &asked;
        ASSERT_EQ(iir2d_filter_forward_cpu(x.data(), x.data(), &p), IIR2D_STATUS_OK);
        EXPECT_GE(asked.calls, 3);
        EXPECT_FALSE(asked.elsewhere);
        EXPECT_GT(asked.last, 0.5);
        Asked cancels{.cancel_at = 2};
        p.user = &cancels;
        EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), x.data(), &p), IIR2D_STATUS_CANCELLED);
        EXPECT_EQ(cancels.calls, 3) << "not called again";
        EXPECT_STREQ(iir2d_last_error(), "the filter was cancelled");
        EXPECT_STREQ(iir2d_status_string(IIR2D_STATUS_CANCELLED), "cancelled");
    }
    // However short the call: it is asked once before anything is written, when all has been checked.
    std::vector<float> small(12, 5.0F);
    IIR2D_FilterParams p = params({1, 1, 3, 4});
    Asked cancels{.cancel_at = 0};
    p.poll = Asked::poll;
    p.user = &cancels;
    EXPECT_EQ(iir2d_filter_forward_cpu(small.data(), small.data(), &p), IIR2D_STATUS_CANCELLED);
    EXPECT_EQ(small, std::vector<float>(12, 5.0F));
    p.filter_id = 0;
    EXPECT_EQ(iir2d_filter_forward_cpu(small.data(), small.data(), &p), IIR2D_STATUS_INVALID_FILTER_ID);
    EXPECT_EQ(cancels.calls, 1);
}

TEST(FilterCApi, EachThreadHasItsLastError) {
    std::int32_t count = 0;
    ASSERT_EQ(iir2d_filter_count(-5, &count), IIR2D_STATUS_INVALID_FILTER_ID);
    const std::string here = iir2d_last_error();
    EXPECT_THAT(here, HasSubstr("filter -5"));
    std::string before;
    std::string after;
    std::thread([&] {
        before = iir2d_last_error();
        static_cast<void>(iir2d_filter_count(77, &count));
        after = iir2d_last_error();
    }).join();
    EXPECT_EQ(before, "");
    EXPECT_THAT(after, HasSubstr("filter 77"));
    EXPECT_EQ(iir2d_last_error(), here);
    // What has no status leaves it as it is.
    static_cast<void>(iir2d_status_string(0));
    static_cast<void>(iir2d_filter_key(1));
    static_cast<void>(iir2d_api_version_packed());
    EXPECT_EQ(iir2d_last_error(), here);
    // The plain functions set it too.
    EXPECT_EQ(iir2d_forward_cpu(nullptr, nullptr, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "in is null");
    ASSERT_EQ(iir2d_filter_count(1, &count), IIR2D_STATUS_OK);
    EXPECT_STREQ(iir2d_last_error(), "");
}

TEST(FilterCApi, DescribesDevices) {
    std::size_t needed = 0;
    ASSERT_EQ(iir2d_describe_devices(nullptr, 0, &needed), IIR2D_STATUS_OK);
    ASSERT_GT(needed, 2U);
    std::vector<char> text(needed + 100, '#');
    EXPECT_EQ(iir2d_describe_devices(text.data(), needed - 1, &needed), IIR2D_STATUS_WORKSPACE_ERROR);
    EXPECT_THAT(iir2d_last_error(), HasSubstr("capacity is " + std::to_string(needed - 1)));
    EXPECT_EQ(std::ranges::count(text, '#'), static_cast<std::ptrdiff_t>(text.size()));
    ASSERT_EQ(iir2d_describe_devices(text.data(), text.size(), &needed), IIR2D_STATUS_OK);
    EXPECT_EQ(std::strlen(text.data()), needed - 1);
    EXPECT_EQ(text.data(), describe_devices());
    EXPECT_THAT(text.data(), HasSubstr("{\n  \"devices\": [\n    {\n      \"id\": \"cpu\",\n"));
    EXPECT_EQ(iir2d_describe_devices(text.data(), 1, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_describe_devices(nullptr, 1, &needed), IIR2D_STATUS_NULL_POINTER);
}

TEST(FilterCApi, WhatNeedsAGpuSaysThatThereIsNone) {
    char bytes[4] = {5, 5, 5, 5};
    EXPECT_EQ(iir2d_copy_to_host_cuda(nullptr, bytes, 4, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_copy_to_host_cuda(bytes, nullptr, 4, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_STREQ(iir2d_last_error(), "from is null");
    const char from[4] = {};
    EXPECT_EQ(iir2d_copy_to_host_cuda(bytes, from, 4, nullptr), IIR2D_STATUS_CUDA_ERROR);
    EXPECT_STRNE(iir2d_last_error(), "");
    EXPECT_EQ(bytes[0], 5);
}

TEST(FilterCApi, WorkspacesOnAGpuAreAskedWithoutOne) {
    const auto bytes_of = [](const IIR2D_FilterParams& p) {
        std::size_t bytes = 99;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, 0, 0, &bytes), IIR2D_STATUS_OK) << iir2d_last_error();
        return bytes;
    };
    const Shape s{2, 3, 100, 200};
    IIR2D_FilterParams p = params(s, 1);
    EXPECT_EQ(bytes_of(p), 0U);
    EXPECT_EQ(bytes_of(params(s, 6)), 6U * 100 * 200 * 4);
    EXPECT_EQ(bytes_of(params(s, 6, Precision::f64)), 6U * 100 * 200 * 8);
    p.element = IIR2D_ELEMENT_BF16;
    EXPECT_EQ(bytes_of(p), 6U * 100 * 200 * 4 + 0U);
    // Sets run one plane after another, so that they share the scratch of one.
    IIR2D_FilterParams sets = params(s, 6);
    sets.parameter_sets = 6;
    EXPECT_EQ(bytes_of(sets), 100U * 200 * 4);
}

}  // namespace
