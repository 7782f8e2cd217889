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
#include <utility>
#include <vector>

#include "iir2d/convert.h"
#include "iir2d/iir2d_filter.h"
#include "tests/kernels/iir/filter_c_testing.h"
#include "tests/sanitized.h"

namespace {

using namespace filter_c_testing;
using ::testing::HasSubstr;

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
    EXPECT_EQ(iir2d_filter_count(99, &number), IIR2D_STATUS_INVALID_FILTER_ID);
    EXPECT_EQ(iir2d_last_error(),
              "filter 99 does not exist: filters are 1 to " + std::to_string(filter_table().size()));
    EXPECT_EQ(iir2d_filter_count(1, nullptr), IIR2D_STATUS_NULL_POINTER);
    EXPECT_EQ(iir2d_filter_key(0), nullptr);
    EXPECT_EQ(iir2d_filter_key(99), nullptr);
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
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const auto [border, start] : iir_test::all_modes) {
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

TEST(FilterCApi, ForwardHasThePlansBits) {
    compare_with_plans<float>(Precision::f32);
    compare_with_plans<float>(Precision::mixed);
    compare_with_plans<double>(Precision::f64);
}

TEST(FilterCApi, DefaultsHaveTheBitsOfThePlainForward) {
    const auto x = planes<float>(37 * 29);
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
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

// The library keeps what a thread's last small call was made into. A new thread has none.
std::vector<float> forward_in_a_new_thread(const IIR2D_FilterParams& p, const std::vector<float>& x) {
    std::vector<float> y;
    std::thread([&] { y = forward(p, x); }).join();
    return y;
}

TEST(FilterCApi, CallsInARowFollowEveryField) {
    const auto x = planes<float>(2 * 12 * 30, 5);
    std::vector<double> values{3.0, 0.0};
    IIR2D_FilterParams first = params({1, 2, 12, 30}, 6);
    first.border_mode = IIR2D_BORDER_CONSTANT;
    first.border_const = 0.5;
    first.parameters = values.data();
    using Change = void (*)(IIR2D_FilterParams & p, std::vector<double> & values);
    const std::vector<std::pair<const char*, Change>> changes{
        {"nothing", [](auto&, auto&) {}},
        {"filter_id", [](auto& p, auto& v) { p.filter_id = 1, v[0] = 0.25; }},
        {"border_mode", [](auto& p, auto&) { p.border_mode = IIR2D_BORDER_WRAP; }},
        {"precision", [](auto& p, auto&) { p.precision = IIR2D_PRECISION_MIXED; }},
        {"start", [](auto& p, auto&) { p.start = IIR2D_START_STEADY; }},
        {"normalise_gain", [](auto& p, auto&) { p.normalise_gain = 1; }},
        {"shape", [](auto& p, auto&) { std::swap(p.width, p.height); }},
        {"planes", [](auto& p, auto&) { std::swap(p.n, p.c); }},
        {"border_const", [](auto& p, auto&) { p.border_const = -2.0; }},
        {"a parameter, in the same memory", [](auto&, auto& v) { v[0] = 1.25; }},
        {"no parameters", [](auto& p, auto&) { p.parameters = nullptr; }},
        {"sets for each plane",
         [](auto& p, auto& v) {
             v = {3.0, 0.0, 9.0, 0.0};
             p.parameters = v.data();
             p.parameter_sets = 2;
         }},
        {"strides", [](auto& p, auto&) { p.y_stride[1] = 12 * 30, p.y_stride[2] = 31, p.height = 11; }},
        {"threads", [](auto& p, auto&) { p.threads = 1; }},
    };
    const auto of_first = forward_in_a_new_thread(first, x);
    for (const auto& [name, change] : changes) {
        IIR2D_FilterParams p = first;
        EXPECT_EQ(forward(p, x), of_first) << "before " << name;
        EXPECT_EQ(forward(p, x), of_first) << "again, before " << name;
        change(p, values);
        const auto expected = forward_in_a_new_thread(p, x);
        EXPECT_EQ(forward(p, x), expected) << name;
        EXPECT_EQ(forward(p, x), expected) << "again, " << name;
        values = {3.0, 0.0};
        first.parameters = values.data();
    }
    IIR2D_FilterParams wrong = first;
    wrong.threads = -1;
    auto y = x;
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), y.data(), &wrong), IIR2D_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(y, x);
    EXPECT_EQ(iir2d_filter_forward_cpu(x.data(), nullptr, &first), IIR2D_STATUS_NULL_POINTER);
}

TEST(FilterCApi, PollMayCallTheLibrary) {
    const auto x = planes<float>(20 * 20, 6);
    IIR2D_FilterParams p = params({1, 1, 20, 20}, 4);
    const auto expected = forward(p, x);
    p.poll = [](void* user, double) {
        const auto& other = *static_cast<const std::vector<float>*>(user);
        for (int id = 1; id <= 8; ++id) forward(params({1, 1, 10, 10}, id), other);
        return 0;
    };
    p.user = const_cast<std::vector<float>*>(&x);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(forward(p, x), expected);
}

TEST(FilterCApi, ParametersStandInTheTablesOrderAndNanIsTheDefault) {
    const Shape shape{1, 1, 24, 31};
    const auto x = planes<double>(count_of(shape));
    IIR2D_FilterParams p = params(shape, 4, Precision::f64);
    const double values[] = {0.3,          not_a_number, 0.1,          not_a_number, -0.2,
                             not_a_number, 0.05,         not_a_number, not_a_number, -0.1};
    p.parameters = values;
    FilterDesc desc = desc_of(p);
    desc.filter.parameters = {
        {"b0", 0.3}, {"b2", 0.1}, {"a2", -0.2}, {"second_b1", 0.05}, {"second_a2", -0.1}};
    EXPECT_EQ(forward(p, x), *iir_test::run_cpu(desc, x));
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
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
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
    const Shape large = workbench::sanitized ? Shape{1, 2, 100, 130} : Shape{1, 2, 300, 260};
    for (const Shape& s : {Shape{2, 3, 11, 23}, large}) {
        for (int id = 1; id <= std::ssize(filter_table()); ++id) {
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
                                     : set == 1     ? not_a_number
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
    const Shape large = workbench::sanitized ? Shape{1, 1, 130, 133} : Shape{1, 1, 400, 333};
    for (const Shape& s : {Shape{2, 2, 12, 31}, large}) {
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

// The run flushes subnormal numbers, its caller does not.
TEST(FilterCApi, PollComputesWithSubnormalNumbers) {
    struct Calls {
        int all = 0;
        int flushed = 0;
        static int poll(void* user, double) {
            auto& calls = *static_cast<Calls*>(user);
            volatile double smallest = std::numeric_limits<double>::min();
            ++calls.all;
            if (smallest / 2 == 0.0) ++calls.flushed;
            return 0;
        }
    };
    const Shape s{1, 2, 3000, 3000};
    std::vector<float> x(static_cast<std::size_t>(count_of(s)));
    IIR2D_FilterParams p = params(s, 6);
    p.threads = 1;  // others could do the work before the caller asks again
    Calls calls;
    p.poll = Calls::poll;
    p.user = &calls;
    ASSERT_EQ(iir2d_filter_forward_cpu(x.data(), x.data(), &p), IIR2D_STATUS_OK);
    EXPECT_GE(calls.all, 3);
    EXPECT_EQ(calls.flushed, 0);
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
        EXPECT_FALSE(asked.elsewhere);
        // Others could do the work before the caller asks again.
        p.threads = 1;
        asked = {};
        ASSERT_EQ(iir2d_filter_forward_cpu(x.data(), x.data(), &p), IIR2D_STATUS_OK);
        EXPECT_GE(asked.calls, 3);
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
    // Between two questions the memory that is available changes.
    const auto without_available = [](std::string said) {
        const std::string before = "\"memory_available\": {\n          \"value\": \"";
        const std::size_t at = said.find(before);
        if (at == std::string::npos) return said;
        const std::size_t from = at + before.size();
        return said.erase(from, said.find('"', from) - from);
    };
    EXPECT_EQ(without_available(text.data()), without_available(describe_devices()));
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
    // Of 6 planes in 4 x 2 tiles of 64 x 64: what rows leave to 3 x 2 tiles, in lines of 72, and columns
    // to 4.
    constexpr std::size_t carries = 6 * (3 * 2 * 72 + 4 * 64) * 4;
    EXPECT_EQ(bytes_of(p), carries);
    IIR2D_FilterParams axis_by_axis = p;
    axis_by_axis.border_mode = IIR2D_BORDER_WRAP;
    EXPECT_EQ(bytes_of(axis_by_axis), 0U);
    EXPECT_EQ(bytes_of(params(s, 6)), 6U * 100 * 200 * 4);
    EXPECT_EQ(bytes_of(params(s, 6, Precision::f64)), 6U * 100 * 200 * 8);
    p.element = IIR2D_ELEMENT_BF16;
    EXPECT_EQ(bytes_of(p), 6U * 100 * 200 * 4 + carries);
    // Sets run one plane after another, so that they share the scratch of one.
    IIR2D_FilterParams sets = params(s, 6);
    sets.parameter_sets = 6;
    EXPECT_EQ(bytes_of(sets), 100U * 200 * 4);
}

}  // namespace
