// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <limits>
#include <random>
#include <string>

#include "iir2d/filter.h"

namespace {

using namespace iir2d;
using ::testing::HasSubstr;

TEST(FilterTable, NumbersItsRowsFromOne) {
    const auto rows = filter_table();
    const int count = static_cast<int>(rows.size());
    ASSERT_GE(count, 8);  // ids are part of the C interface: none goes away
    for (int id = 1; id <= count; ++id) {
        const FilterRow& row = rows[static_cast<std::size_t>(id - 1)];
        EXPECT_EQ(row.id, id);
        EXPECT_FALSE(row.name.empty());
        EXPECT_FALSE(row.parameters.empty());
        EXPECT_TRUE(make_filter({.id = id}));
        for (const FilterParameter& p : row.parameters) {
            EXPECT_LE(p.minimum, p.default_value);
            EXPECT_LE(p.default_value, p.maximum);
            EXPECT_FALSE(p.help.empty()) << p.name;
        }
    }
    for (const int id : {0, -1, count + 1, 1000}) {
        EXPECT_EQ(filter_row(id).error().code, ErrorCode::invalid_filter_id);
        EXPECT_THAT(make_filter({.id = id}).error().message, HasSubstr(std::to_string(id)));
    }
}

// What the preview's proxy relies on: see ParameterScaling.
TEST(FilterTable, SaysHowEachParameterScales) {
    for (const FilterRow& row : filter_table()) {
        for (auto rest = row.parameters; !rest.empty(); rest = rest.subspan(1)) {
            const FilterParameter& p = rest.front();
            EXPECT_EQ(p.unit == "px", p.scaling == ParameterScaling::length) << row.key << " " << p.name;
            EXPECT_TRUE(!p.is_switch || p.scaling == ParameterScaling::none) << row.key << " " << p.name;
            if (p.scaling != ParameterScaling::section) continue;
            ASSERT_GE(rest.size(), 5u) << row.key << " " << p.name;
            const std::string_view prefix = p.name.substr(0, p.name.size() - 2);
            for (const std::string_view coefficient : {"b0", "b1", "b2", "a1", "a2"}) {
                EXPECT_EQ(rest.front().name, std::string(prefix) + std::string(coefficient)) << row.key;
                EXPECT_EQ(rest.front().scaling, ParameterScaling::section) << row.key;
                if (coefficient != "a2") rest = rest.subspan(1);
            }
        }
    }
}

TEST(FilterTable, RefusesParametersInWords) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<std::pair<FilterSpec, std::string>> bad = {
        {{.id = 1, .parameters = {{"sigma", 2}}}, "sigma"},
        {{.id = 1, .parameters = {{"alpha", 1.0}}}, "0.999"},
        {{.id = 1, .parameters = {{"alpha", -0.1}}}, "-0.1"},
        {{.id = 1, .parameters = {{"alpha", nan}}}, "alpha"},
        {{.id = 6, .parameters = {{"sigma", infinity}}}, "sigma"},
        {{.id = 6, .parameters = {{"sigma", 0.29}}}, "0.3"},
        {{.id = 6, .parameters = {{"compat_1_0", 0.5}}}, "switch"},
        {{.id = 3, .parameters = {{"a1", 1.5}}}, "unstable"},
        {{.id = 4, .parameters = {{"second_a2", 1.0}}}, "unstable"},
        {{.id = 8, .parameters = {{"a2", -1.0}}}, "unstable"}};
    for (const auto& [spec, words] : bad) {
        const auto data = make_filter(spec);
        ASSERT_FALSE(data) << words;
        EXPECT_EQ(data.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(data.error().message, HasSubstr(words));
    }
}

TEST(FilterTable, AcceptsExactlyTheStableBiquads) {
    // y = a1 y1 + a2 y2 is stable inside the triangle |a2| < 1, |a1| < 1 - a2.
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> uniform(-2.5, 2.5);
    int stable_seen = 0;
    for (int i = 0; i < 2000; ++i) {
        const double a1 = uniform(engine);
        const double a2 = uniform(engine);
        const bool stable = std::abs(a2) < 1.0 && std::abs(a1) < 1.0 - a2;
        stable_seen += stable;
        const auto data = make_filter({.id = 3, .parameters = {{"a1", a1}, {"a2", a2}}});
        EXPECT_EQ(data.has_value(), stable) << a1 << " " << a2;
        if (stable && data) {
            EXPECT_LT(pole_radius(data->horizontal), 1.0);
        }
    }
    EXPECT_GT(stable_seen, 100);
}

TEST(FilterTable, RefusesToNormaliseAGainOfZero) {
    const auto data = make_filter(
        {.id = 3, .parameters = {{"b0", 1.0}, {"b1", -1.0}, {"b2", 0.0}}, .normalise_gain = true});
    ASSERT_FALSE(data);
    EXPECT_THAT(data.error().message, HasSubstr("normalised"));
}

TEST(Names, RoundTripAndRefuse) {
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(*border_from_name(name_of(static_cast<Border>(i))), static_cast<Border>(i));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(*precision_from_name(name_of(static_cast<Precision>(i))), static_cast<Precision>(i));
    }
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(*start_from_name(name_of(static_cast<Start>(i))), static_cast<Start>(i));
    EXPECT_THAT(border_from_name("tile").error().message, HasSubstr("clamp, mirror, wrap or constant"));
    EXPECT_EQ(border_from_name("").error().code, ErrorCode::invalid_border_mode);
    EXPECT_EQ(precision_from_name("f16").error().code, ErrorCode::invalid_precision);
}

}  // namespace
