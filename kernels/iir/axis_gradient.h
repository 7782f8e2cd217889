// SPDX-License-Identifier: MIT
// The gradient of an axis's coefficients over neighbouring lines: forwards through its sections, whose
// outputs are kept, then backwards. Source of the mathematics: docs/filters.md, "Adjoint and gradient of the
// parameters".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "iir2d/filter.h"
#include "kernels/iir/gradient_sweeps.h"
#include "kernels/iir/start_state.h"
#include "kernels/support/aligned_array.h"

namespace iir2d::iir {

// An axis with what the gradient of its parameters takes, immutable.
struct GradientAxis {
    // A section and the derivatives of its coefficients with respect to each parameter.
    struct Part {
        const Section* section;
        std::vector<const Section*> derivatives;
        std::ptrdiff_t only = -1;  // the one parameter that the section depends on; else -1
        int terms = 3;
        Section swept = {};  // the section with the coefficients that the sweeps compute with

        const Section* direction() const;  // the derivative with respect to `only`, or null
    };
    struct StageParts {
        const Stage* stage;
        std::vector<const Stage*> derivatives;
        std::vector<Part> sections, causal, anticausal;
    };

    // Prepares the gradients of an axis. The filters must outlive it unchanged. `derivatives` have the same
    // stages and sections, one filter for each parameter. `in_float` says whether the sweeps compute in
    // float.
    GradientAxis(const AxisFilter& filter, const std::vector<const AxisFilter*>& derivatives, bool in_float);

    std::vector<StageParts> stages;
    std::size_t parameters;
    std::int64_t n = 1;  // samples of a line
    Border border = Border::mirror;
    Start start = Start::truncated;
    double constant = 0.0;  // what its input line reads outside under Border::constant
};

// Computes an axis's gradients for one thread, up to `lanes` lines at once, in arithmetic of type A.
template <class S, class A>
class AxisGradient {
  public:
    AxisGradient(const GradientAxis& axis, std::int64_t lanes);

    // Returns the axis's output for lines u, which stays until the next call.
    LaneRows<const S> filter(std::int64_t lanes, const LaneRows<const S>& u);
    // Returns what a section of the first stage's cascade gave in filter(), in the section's own direction.
    LaneRows<const S> output_of(std::size_t section) const;

    // Adds to `gradient` that of the sum of g times the output of the last filter() with respect to each
    // parameter, lanes in their order, and to `constant` that with respect to the axis's constant (steady
    // start only). `out` takes the gradient of u, and may be u; without it its `first` is null. Once for each
    // filter(). With `after` the lines are the first samples of longer ones through one causal cascade: it
    // holds the costates l[n] and l[n+1] of each section.
    void back(const LaneRows<const S>& g, const LaneRows<S>& out, std::span<double> gradient,
              double& constant, std::span<const SectionHistory> after = {});

    // Does both: filters u and goes back.
    void add(std::int64_t lanes, const LaneRows<const S>& u, const LaneRows<const S>& g,
             const LaneRows<S>& out, std::span<double> gradient, double& constant);

  private:
    // Passes lines through one section, in its own direction.
    struct Way {
        const GradientAxis::Part* part;
        LaneRows<const S> u;
        LaneRows<S> y;
        double constant;
        SectionHistory history;
    };
    struct StageWay {
        std::vector<Way> sections, causal, anticausal;
        double constant;
    };
    // Holds what a cascade's output is added to, and where the sum goes.
    struct Added {
        LaneRows<const S> add;
        LaneRows<S> sum;
    };
    struct Backward {
        LaneRows<const S> g;
        LaneRows<S> out;
        LaneRows<const S> add;
        std::span<const SectionHistory> after = {};  // of the section or, for a cascade, of each
    };
    // Holds the sums that are added to.
    struct Sums {
        std::span<double> gradient;
        double& constant;
    };

    LaneRows<S> next_line();
    SectionLines lines_of(const GradientAxis::Part& part) const {
        return {m_axis.n, m_lanes, &part.swept, part.terms};
    }
    LaneRows<const S> run_stages(std::int64_t lanes, const LaneRows<const S>& u, bool to_the_end);
    LaneRows<const S> run_cascade(const std::vector<GradientAxis::Part>& parts, LaneRows<const S> u,
                                  bool reversed, double constant, std::vector<Way>& ways,
                                  const Added& added = {});
    Way run(const GradientAxis::Part& part, const LaneRows<const S>& u, double constant, const Added& added);
    void back_cascade(const std::vector<Way>& ways, const Backward& backward, bool reversed, const Sums& to);
    void back_section(const Way& way, const Backward& backward, const Sums& to);
    void back_over_mirror(const Way& way, const LaneRows<S>& out, const SectionHistory& l,
                          std::vector<double>& sums) const;
    double input(const Way& way, std::int64_t index, std::int64_t lane) const;

    const GradientAxis& m_axis;
    std::int64_t m_stride;  // of a line: the most lanes
    std::int64_t m_lanes = 0;
    std::size_t m_used = 0;
    std::vector<support::AlignedArray<S>> m_lines;
    LaneRows<const S> m_u;
    std::vector<StageWay> m_ways;
};

// Returns whether the section depends on the parameter that these are the derivatives with respect to.
bool depends(const Section& derivative);

// Returns the sum of the products of a section's gradient and the derivative of its coefficients; where that
// is 0 the gradient may be anything.
double product(const Section& gradient, const Section& derivative);

}  // namespace iir2d::iir
