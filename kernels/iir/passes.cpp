// SPDX-License-Identifier: MIT
#include "kernels/iir/passes.h"

#include "kernels/iir/analysis.h"

namespace iir2d::iir {

namespace {

bool may_share_sweep(Border border, Start start) {
    return border == Border::clamp || border == Border::constant ||
           (border == Border::mirror && start == Start::truncated);
}

struct Maker {
    Border border;
    Start start;
    std::vector<Pass> passes;

    // The sweeps of a cascade; the first reads the line, the last writes to its target.
    void cascade(const std::vector<Section>& sections, bool reversed, double constant, bool to_scratch,
                 bool add_scratch) {
        const bool share = may_share_sweep(border, start);
        const std::size_t sweeps = share ? 1 : sections.size();
        for (std::size_t i = 0; i < sweeps; ++i) {
            Pass pass{.reversed = reversed,
                      .sections = share ? sections : std::vector<Section>{sections[i]},
                      .from_scratch = to_scratch && i > 0,
                      .to_scratch = to_scratch,
                      .add_scratch = add_scratch && i + 1 == sweeps,
                      .constant = constant};
            if (start == Start::steady) constant *= dc_gain(pass.sections);
            passes.push_back(std::move(pass));
        }
    }
};

std::vector<Section> from_the_last(const std::vector<Section>& sections) {
    return {sections.rbegin(), sections.rend()};
}

}  // namespace

AxisFilter transposed(const AxisFilter& axis) {
    AxisFilter result;
    for (auto stage = axis.stages.rbegin(); stage != axis.stages.rend(); ++stage) {
        using Kind = Stage::Kind;
        const Kind kind = stage->kind == Kind::sum      ? Kind::sum
                          : stage->kind == Kind::causal ? Kind::anticausal
                                                        : Kind::causal;
        result.stages.push_back({kind, from_the_last(stage->sections), from_the_last(stage->anticausal),
                                 from_the_last(stage->causal)});
    }
    return result;
}

std::vector<Pass> make_passes(const AxisFilter& axis, Border border, Start start, double constant) {
    Maker maker{border, start, {}};
    for (const Stage& stage : axis.stages) {
        if (stage.kind == Stage::Kind::sum) {
            maker.cascade(stage.causal, false, constant, true, false);
            maker.cascade(stage.anticausal, true, constant, false, true);
        } else {
            maker.cascade(stage.sections, stage.kind == Stage::Kind::anticausal, constant, false, false);
        }
        if (start == Start::steady) constant *= dc_gain(stage);
    }
    return std::move(maker.passes);
}

}  // namespace iir2d::iir
