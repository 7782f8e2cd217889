// SPDX-License-Identifier: MIT
// Computes gains and poles of any filter data.
#include "iir2d/filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/iir/analysis.h"

namespace iir2d {

namespace iir {

double dc_gain(const Section& s) {
    return (s.b[0] + s.b[1] + s.b[2]) / (1.0 - s.a[0] - s.a[1]);
}

double dc_gain(const std::vector<Section>& cascade) {
    double gain = 1.0;
    for (const Section& s : cascade) gain *= dc_gain(s);
    return gain;
}

double dc_gain(const Stage& stage) {
    return stage.kind == Stage::Kind::sum ? dc_gain(stage.causal) + dc_gain(stage.anticausal)
                                          : dc_gain(stage.sections);
}

double pole_radius(const Section& s) {
    // Roots of z^2 - a1 z - a2.
    const double a1 = s.a[0];
    const double a2 = s.a[1];
    const double discriminant = a1 * a1 + 4.0 * a2;
    if (discriminant < 0.0) return std::sqrt(-a2);
    const double root = std::sqrt(discriminant);
    return std::max(std::abs(a1 + root), std::abs(a1 - root)) / 2.0;
}

namespace {

// The sum of magnitudes of the impulse response of a section with these input taps, until nothing is added or
// it is above the limit.
double response_sum(const std::array<double, 3>& b, const std::array<double, 2>& a,
                    double limit = std::numeric_limits<double>::infinity()) {
    double sum = 0.0;
    double y1 = 0.0;
    double y2 = 0.0;
    for (std::size_t i = 0; i < std::size_t{1} << 20; ++i) {
        const double y = (i < b.size() ? b[i] : 0.0) + a[0] * y1 + a[1] * y2;
        sum += std::abs(y);
        y2 = y1;
        y1 = y;
        if (sum > limit || (i > b.size() && std::abs(y1) + std::abs(y2) < 1e-12 * sum)) break;
    }
    return sum;
}

}  // namespace

double recursion_gain(const Section& s) {
    return response_sum({1.0, 0.0, 0.0}, s.a);
}

double recursion_gain_up_to(const Section& s, double limit) {
    // With real poles the signs are all equal or alternate.
    if (s.a[0] * s.a[0] + 4.0 * s.a[1] >= 0.0) return 1.0 / (1.0 - std::abs(s.a[0]) - s.a[1]);
    return response_sum({1.0, 0.0, 0.0}, s.a, limit);
}

double peak_gain(const Section& s) {
    return response_sum(s.b, s.a);
}

std::int64_t memory_length(const Section& s, double below) {
    const double radius = pole_radius(s);
    if (radius <= 0.0) return s.order;
    // r^n decays, a double pole's n r^(n-1) too: a few more samples than r^n alone.
    double n = std::log(below) / std::log(radius);
    n += std::log1p(std::max(n, 0.0)) / -std::log(radius);
    return static_cast<std::int64_t>(std::ceil(n)) + 2;
}

void for_each_section(const AxisFilter& axis, const std::function<void(const Section&)>& visit) {
    for (const Stage& stage : axis.stages) {
        for (const auto* cascade : {&stage.sections, &stage.causal, &stage.anticausal}) {
            for (const Section& s : *cascade) visit(s);
        }
    }
}

}  // namespace iir

double dc_gain(const AxisFilter& axis) {
    double gain = 1.0;
    for (const Stage& stage : axis.stages) gain *= iir::dc_gain(stage);
    return gain;
}

double pole_radius(const AxisFilter& axis) {
    double radius = 0.0;
    iir::for_each_section(axis, [&](const Section& s) { radius = std::max(radius, iir::pole_radius(s)); });
    return radius;
}

}  // namespace iir2d
