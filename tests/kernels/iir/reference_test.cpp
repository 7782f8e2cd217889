// SPDX-License-Identifier: MIT
// The reference against figures worked out by hand and against closed forms: nothing here shares its code.
#include <gtest/gtest.h>

#include "kernels/iir/border.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;
using Line = std::vector<double>;

// Filters a single row. The column pass then sees one sample; `column` is what it multiplies that with.
Line row(const FilterDesc& base, const Line& x) {
    FilterDesc desc = base;
    desc.shape = {.h = 1, .w = static_cast<std::int64_t>(x.size())};
    return run_reference(desc, x);
}

void expect_row(const FilterDesc& desc, const Line& x, const Line& across, double column) {
    const Line y = row(desc, x);
    ASSERT_EQ(y.size(), across.size());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], across[i] * column, 1e-14) << i;
}

TEST(BorderIndex, ReadsAsTheTableSays) {
    using iir::border_index;
    for (std::int64_t i = 0; i < 3; ++i) {
        for (const Border b : all_borders) EXPECT_EQ(border_index(i, 3, b), i);
    }
    EXPECT_EQ(border_index(-4, 3, Border::clamp), 0);
    EXPECT_EQ(border_index(9, 3, Border::clamp), 2);
    // Half-sample symmetric: ... 1 2 2 1 0 | 0 1 2 | 2 1 0 0 1 ...
    const std::int64_t left[] = {0, 1, 2, 2, 1, 0, 0, 1};
    for (std::int64_t k = 0; k < 8; ++k) EXPECT_EQ(border_index(-1 - k, 3, Border::mirror), left[k]) << k;
    const std::int64_t right[] = {2, 1, 0, 0, 1, 2, 2};
    for (std::int64_t k = 0; k < 7; ++k) EXPECT_EQ(border_index(3 + k, 3, Border::mirror), right[k]) << k;
    EXPECT_EQ(border_index(-1, 3, Border::wrap), 2);
    EXPECT_EQ(border_index(-4, 3, Border::wrap), 2);
    EXPECT_EQ(border_index(7, 3, Border::wrap), 1);
    EXPECT_EQ(border_index(-1, 3, Border::constant), -1);
    for (const Border b : {Border::clamp, Border::mirror, Border::wrap}) EXPECT_EQ(border_index(-4, 1, b), 0);
}

TEST(Reference, EmaByHand) {
    // Clamp: x[-1] = x[-2] = 1, y[-1] = 0.15, y[0] = 0.15 + 0.85 * 0.15.
    expect_row({.filter = {.id = 1}, .border = Border::clamp}, {1, 0, 0}, {0.2775, 0.235875, 0.20049375},
               0.2775);
    // Constant 2: y[-1] = 0.3, y[0] = 0.15 * 1 + 0.85 * 0.3; the column reads the same constant.
    const Line y = row({.filter = {.id = 1}, .border = Border::constant, .border_const = 2.0}, {1, 0});
    EXPECT_NEAR(y[0], 0.15 * 0.405 + 0.85 * 0.3, 1e-15);
    EXPECT_NEAR(y[1], 0.15 * 0.34425 + 0.85 * 0.3, 1e-15);
    // Wrap: x[-1] = 3.
    expect_row({.filter = {.id = 7}, .border = Border::wrap}, {1, 3},
               {0.15 + 0.85 * 0.45, 0.45 + 0.85 * (0.15 + 0.85 * 0.45)}, 0.2775);
}

TEST(Reference, BiquadByHand) {
    const FilterDesc zero{.filter = {.id = 3}, .border = Border::constant};
    expect_row(zero, {1, 0, 0, 0}, {0.2, 0.26, 0.258, 0.0514}, 0.2);
    // Mirror of {1, 2}: x[-1..-4] = 1, 2, 2, 1; y[-2] = 1, y[-1] = 1.3. A single sample sees itself
    // everywhere: y[-2] = 0.6 v, y[-1] = 0.78 v, y[0] = 0.774 v.
    expect_row({.filter = {.id = 3}, .border = Border::mirror}, {1, 2}, {1.09, 0.997}, 0.774);
    expect_row({.filter = {.id = 8}, .border = Border::mirror}, {1, 2}, {1.09, 0.997}, 0.774);
}

TEST(Reference, CascadesByHand) {
    expect_row({.filter = {.id = 4}, .border = Border::constant}, {1, 0, 0}, {0.06, 0.11, 0.1424}, 0.06);
    // Filter 2, clamp, {1, 0}: the first section gives y[0] = 0.25 + 0.75 * 0.25 = 0.4375, y[1] = 0.328125.
    // The second starts from its own input line's border, 0.4375.
    const double z0 = 0.25 * 0.4375 + 0.75 * 0.25 * 0.4375;
    expect_row({.filter = {.id = 2}, .border = Border::clamp}, {1, 0}, {z0, 0.25 * 0.328125 + 0.75 * z0},
               0.4375 * 0.4375);
}

TEST(Reference, ForwardBackwardByHand) {
    expect_row({.filter = {.id = 5}, .border = Border::constant}, {0, 1, 0}, {0.13056, 0.2176, 0.096}, 0.16);
}

TEST(Reference, DericheIsItsClosedForm) {
    const double alpha = 1.695 / 2.0;
    const double e = std::exp(-alpha);
    const double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e * e);
    Line x(201);
    x[100] = 1.0;
    const Line y = row({.filter = {.id = 6}, .border = Border::constant}, x);
    for (int n = -100; n <= 100; ++n) {
        const double expected = k * (alpha * std::abs(n) + 1) * std::exp(-alpha * std::abs(n));
        EXPECT_NEAR(y[static_cast<std::size_t>(100 + n)], expected * k, 1e-15) << n;
    }
}

TEST(Reference, DericheStartsAsTheContractSays) {
    // A single sample v under clamp, by the contract's own equations.
    const double alpha = 1.695 / 2.0;
    const double e = std::exp(-alpha);
    const double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e * e);
    const double a0 = k;
    const double a1 = k * (alpha - 1) * e;
    const double a2 = k * (alpha + 1) * e;
    const double a3 = -k * e * e;
    const double b1 = 2 * e;
    const double b2 = -e * e;
    const double p2 = a0 + a1;
    const double p1 = a0 + a1 + b1 * p2;
    const double q1 = a2 + a3;
    const double q0 = a2 + a3 + b1 * q1;
    const double both = (a0 + a1 + b1 * p1 + b2 * p2) + (a2 + a3 + b1 * q0 + b2 * q1);
    expect_row({.filter = {.id = 6}, .border = Border::clamp}, {1.0}, {both}, both);
}

TEST(Reference, GainsAtFrequencyZero) {
    const double gains[] = {1, 1, 0.75, 0.75 * (0.5 / 0.85), 1, 1, 1, 0.75};
    for (int id = 1; id <= 8; ++id) {
        const auto data = make_filter({.id = id});
        ASSERT_TRUE(data);
        EXPECT_NEAR(dc_gain(data->horizontal), gains[id - 1], 1e-12) << id;
        EXPECT_NEAR(dc_gain(data->vertical), gains[id - 1], 1e-12) << id;
        // The middle of a large constant image is both gains times the constant.
        const FilterDesc desc{.shape = {.h = 301, .w = 301}, .filter = {.id = id}, .border = Border::clamp};
        const auto y = run_reference(desc, Line(301 * 301, 2.0));
        EXPECT_NEAR(y[150 * 301 + 150], 2.0 * gains[id - 1] * gains[id - 1], 1e-9) << id;
        const auto normalised = make_filter({.id = id, .normalise_gain = true});
        EXPECT_NEAR(dc_gain(normalised->horizontal), 1.0, 1e-12) << id;
    }
    EXPECT_NEAR(0.441176, gains[3], 1e-6);
}

TEST(Reference, CompatibleDericheHasTheOldColumnGain) {
    const auto data = make_filter({.id = 6, .parameters = {{"compat_1_0", 1.0}}});
    ASSERT_TRUE(data);
    EXPECT_NEAR(dc_gain(data->horizontal), 1.0, 1e-12);
    EXPECT_NEAR(dc_gain(data->vertical), 0.845, 5e-4);
}

TEST(SteadyStart, ConstantImagesStayConstantInEveryMode) {
    for (int id = 1; id <= std::ssize(filter_table()); ++id) {
        for (const Border border : all_borders) {
            for (const Precision precision : all_precisions) {
                const FilterDesc desc{.shape = {.h = 9, .w = 13},
                                      .filter = {.id = id},
                                      .border = border,
                                      .border_const = 0.7,
                                      .precision = precision,
                                      .start = Start::steady};
                const Line x(9 * 13, precision == Precision::f64 ? 0.7 : static_cast<float>(0.7));
                const auto data = make_filter(desc.filter);
                const double level = x[0] * dc_gain(data->horizontal) * dc_gain(data->vertical);
                const auto y = run_cpu(desc, x);
                ASSERT_TRUE(y) << y.error().message;
                const double bound = precision == Precision::f64     ? 1e-14
                                     : precision == Precision::mixed ? 6e-8
                                                                     : 4e-7;
                for (const double v : *y) ASSERT_NEAR(v, level, bound) << describe(desc);
                for (const double v : run_reference(desc, x))
                    ASSERT_NEAR(v, level,
                                1e-14 + 1e-7 * (border == Border::constant && precision != Precision::f64))
                        << describe(desc);
            }
        }
    }
}

// y over a line that is extended for so long that the state before it has been forgotten.
Line brute_force(const Section& s, const Line& x, Border border, bool reversed) {
    const auto n = static_cast<std::int64_t>(x.size());
    const auto at = [&](std::int64_t i) {
        const std::int64_t index = iir::border_index(reversed ? n - 1 - i : i, n, border);
        return x[static_cast<std::size_t>(index)];
    };
    Line y(x.size());
    double y1 = 0;
    double y2 = 0;
    for (std::int64_t i = -2000; i < n; ++i) {
        const double v = s.b[0] * at(i) + s.b[1] * at(i - 1) + s.b[2] * at(i - 2) + s.a[0] * y1 + s.a[1] * y2;
        y2 = y1;
        y1 = v;
        if (i >= 0) y[static_cast<std::size_t>(reversed ? n - 1 - i : i)] = v;
    }
    return y;
}

TEST(SteadyStart, IsWhatAnInfiniteExtensionLeaves) {
    for (const std::size_t n : {1U, 2U, 5U, 40U}) {
        const Line x = random_plane(static_cast<std::int64_t>(n), 3);
        for (const Border border : {Border::clamp, Border::mirror, Border::wrap}) {
            for (int id = 1; id <= std::ssize(filter_table()); ++id) {
                const auto data = make_filter({.id = id});
                Line expected = x;
                for (const Stage& stage : data->horizontal.stages) {
                    const bool reversed = stage.kind == Stage::Kind::anticausal;
                    if (stage.kind == Stage::Kind::sum) {
                        const Line p = brute_force(stage.causal[0], expected, border, false);
                        const Line q = brute_force(stage.anticausal[0], expected, border, true);
                        for (std::size_t i = 0; i < n; ++i) expected[i] = p[i] + q[i];
                        continue;
                    }
                    for (const Section& s : stage.sections)
                        expected = brute_force(s, expected, border, reversed);
                }
                const double column = dc_gain(data->vertical);  // one sample extended is a constant
                const Line y = row({.filter = {.id = id}, .border = border, .start = Start::steady}, x);
                for (std::size_t i = 0; i < n; ++i) {
                    EXPECT_NEAR(y[i], expected[i] * column, 1e-12)
                        << id << " " << name_of(border) << " " << n;
                }
            }
        }
    }
}

}  // namespace
