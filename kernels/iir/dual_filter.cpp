// SPDX-License-Identifier: MIT
#include "kernels/iir/dual_filter.h"

#include <algorithm>

namespace iir2d::iir {

namespace {

Dual dc_gain(const std::vector<DualSection>& cascade) {
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

}  // namespace

Dual dc_gain(const DualAxis& axis) {
    Dual gain = 1.0;
    for (const DualStage& stage : axis.stages) {
        gain *= stage.kind == Stage::Kind::sum ? dc_gain(stage.causal) + dc_gain(stage.anticausal)
                                               : dc_gain(stage.sections);
    }
    return gain;
}

FilterData derivatives_of(const DualFilter& filter) {
    return {derivatives_of(filter.horizontal), derivatives_of(filter.vertical)};
}

}  // namespace iir2d::iir
