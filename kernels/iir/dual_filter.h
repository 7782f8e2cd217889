// SPDX-License-Identifier: MIT
// Filters of dual numbers, value + derivative * eps with eps^2 = 0: a formula that makes a filter from its
// parameters makes the derivatives of the coefficients as well, so there is no second table.
#pragma once

#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "iir2d/filter.h"

namespace iir2d::iir {

struct Dual {
    double value = 0.0;
    double derivative = 0.0;

    constexpr Dual() = default;
    constexpr Dual(double v, double d = 0.0)  // NOLINT(google-explicit-constructor): a constant
        : value(v), derivative(d) {}

    friend constexpr Dual operator-(const Dual& x) { return {-x.value, -x.derivative}; }
    friend constexpr Dual operator+(const Dual& x, const Dual& y) {
        return {x.value + y.value, x.derivative + y.derivative};
    }
    friend constexpr Dual operator-(const Dual& x, const Dual& y) {
        return {x.value - y.value, x.derivative - y.derivative};
    }
    friend constexpr Dual operator*(const Dual& x, const Dual& y) {
        return {x.value * y.value, x.derivative * y.value + x.value * y.derivative};
    }
    friend constexpr Dual operator/(const Dual& x, const Dual& y) {
        const double value = x.value / y.value;
        return {value, (x.derivative - value * y.derivative) / y.value};
    }
    constexpr Dual& operator*=(const Dual& y) { return *this = *this * y; }
    constexpr Dual& operator/=(const Dual& y) { return *this = *this / y; }
};

inline Dual exp(const Dual& x) {
    const double value = std::exp(x.value);
    return {value, value * x.derivative};
}
inline double value_of(double x) {
    return x;
}
inline double value_of(const Dual& x) {
    return x.value;
}

// Mirror Section, Stage, AxisFilter and FilterData, member by member, in dual numbers.
struct DualSection {
    int order = 1;
    std::array<Dual, 3> b = {1, 0, 0};
    std::array<Dual, 2> a = {0, 0};
    std::array<Dual, 3> start_b = {1, 0, 0};
    Section::Form form = Section::Form::direct;
};
struct DualStage {
    Stage::Kind kind = Stage::Kind::causal;
    std::vector<DualSection> sections;
    std::vector<DualSection> causal;
    std::vector<DualSection> anticausal;
};
struct DualAxis {
    std::vector<DualStage> stages;
};
struct DualFilter {
    DualAxis horizontal;
    DualAxis vertical;
};

Dual dc_gain(const DualAxis& axis);

// Returns only the derivatives, each in its coefficient's place.
FilterData derivatives_of(const DualFilter& filter);

// The types that a formula computes with: T is double or Dual.
template <class T>
constexpr bool is_dual = std::is_same_v<T, Dual>;
template <class T>
using SectionOf = std::conditional_t<is_dual<T>, DualSection, Section>;
template <class T>
using StageOf = std::conditional_t<is_dual<T>, DualStage, Stage>;
template <class T>
using AxisOf = std::conditional_t<is_dual<T>, DualAxis, AxisFilter>;
template <class T>
using FilterOf = std::conditional_t<is_dual<T>, DualFilter, FilterData>;

// Returns the derivatives of all coefficients with respect to each parameter of the filter's row, in the
// row's order: filters of the same stages and sections as make_filter()'s. 0 for a switch.
Result<std::vector<FilterData>> filter_derivatives(const FilterSpec& spec);

// Return how gains at frequency zero change with a parameter, of which the second argument holds the
// coefficients' derivatives.
double dc_gain_derivative(const Section& section, const Section& derivative);
double dc_gain_derivative(const std::vector<Section>& cascade, const std::vector<Section>& derivative);
double dc_gain_derivative(const Stage& stage, const Stage& derivative);
double dc_gain_derivative(const AxisFilter& axis, const AxisFilter& derivative);

}  // namespace iir2d::iir
