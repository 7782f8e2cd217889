// SPDX-License-Identifier: MIT
// What the tests of parameters' gradients share.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/iir/iir_testing.h"

namespace iir_test {

inline double norm(const std::vector<double>& a) {
    double sum = 0.0;
    for (const double v : a) sum += v * v;
    return std::sqrt(sum);
}

// The norm of the derivative of the filter's output: a difference of the reference's.
inline double derivative_norm(const iir2d::FilterDesc& desc, const iir2d::FilterParameter& parameter,
                              const std::vector<double>& x) {
    double value = parameter.default_value;
    for (const auto& [name, given] : desc.filter.parameters) {
        if (name == parameter.name) value = given;
    }
    const double step = 1e-6 * (parameter.name == "sigma" ? value : 1.0);
    const auto moved = [&](double to) {
        iir2d::FilterDesc there = desc;
        std::erase_if(there.filter.parameters, [&](const auto& p) { return p.first == parameter.name; });
        there.filter.parameters.emplace_back(parameter.name,
                                             std::clamp(to, parameter.minimum, parameter.maximum));
        return run_reference(there, x);
    };
    const auto up = moved(value + step);
    const auto down = moved(value - step);
    const double both = std::min(value + step, parameter.maximum) - std::max(value - step, parameter.minimum);
    std::vector<double> difference(up.size());
    for (std::size_t i = 0; i < up.size(); ++i) difference[i] = (up[i] - down[i]) / both;
    return norm(difference);
}

// One gradient to compute and what it is judged by.
struct GradientCase {
    std::vector<double> x, dy;
    std::vector<double> expected;  // the reference's
    std::vector<double> scales;    // norm(dy) times the norm of the output's derivative; 0 of a switch
    double rounding = 0.0;         // norm(dy) norm(x)

    GradientCase(const iir2d::FilterDesc& desc, unsigned seed)
        : x(random_plane(count_of(desc.shape), seed)), dy(random_plane(count_of(desc.shape), seed + 1)) {
        for (double& v : dy) v = static_cast<float>(v - 0.25);
        const auto row = iir2d::filter_row(desc.filter.id);
        expected.resize(row->parameters.size());
        EXPECT_TRUE(iir2d::reference::filter_gradient(desc, x, dy, expected));
        for (const iir2d::FilterParameter& parameter : row->parameters)
            scales.push_back(parameter.is_switch ? 0.0 : norm(dy) * derivative_norm(desc, parameter, x));
        rounding = norm(dy) * norm(x);
    }
};

// Calls f(desc) for every border, start and gain of a filter; 9 is filter 6 as 1.0 had it.
void for_each_mode(int id, std::int64_t height, std::int64_t width, const auto& f) {
    for (const auto [border, start] : all_modes) {
        for (const bool normalise : {false, true}) {
            iir2d::FilterDesc desc{.shape = {.h = height, .w = width},
                                   .filter = {.id = std::min(id, 8), .normalise_gain = normalise},
                                   .border = border,
                                   .border_const = 0.75,
                                   .start = start};
            if (id == 9) desc.filter.id = 6;
            if (id == 9) desc.filter.parameters = {{"compat_1_0", 1.0}};
            f(desc);
        }
    }
}

}  // namespace iir_test
