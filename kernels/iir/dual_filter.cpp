// SPDX-License-Identifier: MIT
#include "kernels/iir/dual_filter.h"

#include <algorithm>

#include "kernels/iir/analysis.h"

namespace iir2d::iir {

namespace {

Dual cascade_gain(const std::vector<DualSection>& cascade) {
    Dual gain = 1.0;
    for (const DualSection& s : cascade) gain *= (s.b[0] + s.b[1] + s.b[2]) / (1.0 - s.a[0] - s.a[1]);
    return gain;
}

std::vector<Section> derivatives_of(const std::vector<DualSection>& cascade) {
    std::vector<Section> derivatives;
    for (const DualSection& s : cascade) {
        Section& d = derivatives.emplace_back(Section{.order = s.order, .form = s.form});
        const auto derivative = [](const Dual& x) { return x.derivative; };
        std::ranges::transform(s.b, d.b.begin(), derivative);
        std::ranges::transform(s.a, d.a.begin(), derivative);
        std::ranges::transform(s.start_b, d.start_b.begin(), derivative);
    }
    return derivatives;
}

AxisFilter derivatives_of(const DualAxis& axis) {
    AxisFilter derivatives;
    for (const DualStage& stage : axis.stages) {
        derivatives.stages.push_back({stage.kind, derivatives_of(stage.sections),
                                      derivatives_of(stage.causal), derivatives_of(stage.anticausal)});
    }
    return derivatives;
}

// The derivative of the product of the parts' gains.
template <class Part>
double product_derivative(const std::vector<Part>& parts, const std::vector<Part>& derivatives) {
    double sum = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        double product = dc_gain_derivative(parts[i], derivatives[i]);
        for (std::size_t j = 0; j < parts.size(); ++j) product *= j == i ? 1.0 : dc_gain(parts[j]);
        sum += product;
    }
    return sum;
}

}  // namespace

Dual dc_gain(const DualAxis& axis) {
    Dual gain = 1.0;
    for (const DualStage& stage : axis.stages) {
        gain *= stage.kind == Stage::Kind::sum ? cascade_gain(stage.causal) + cascade_gain(stage.anticausal)
                                               : cascade_gain(stage.sections);
    }
    return gain;
}

FilterData derivatives_of(const DualFilter& filter) {
    return {derivatives_of(filter.horizontal), derivatives_of(filter.vertical)};
}

double dc_gain_derivative(const Section& s, const Section& d) {
    return (d.b[0] + d.b[1] + d.b[2] + dc_gain(s) * (d.a[0] + d.a[1])) / (1.0 - s.a[0] - s.a[1]);
}

double dc_gain_derivative(const std::vector<Section>& cascade, const std::vector<Section>& derivative) {
    return product_derivative(cascade, derivative);
}

double dc_gain_derivative(const Stage& stage, const Stage& d) {
    if (stage.kind != Stage::Kind::sum) return product_derivative(stage.sections, d.sections);
    return product_derivative(stage.causal, d.causal) + product_derivative(stage.anticausal, d.anticausal);
}

double dc_gain_derivative(const AxisFilter& axis, const AxisFilter& derivative) {
    return product_derivative(axis.stages, derivative.stages);
}

}  // namespace iir2d::iir
