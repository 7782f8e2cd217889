// SPDX-License-Identifier: MIT
// The gradient of a plane's parameters where the columns go through one causal cascade: one way over bands of
// rows, from the last to the first. It reads x and dy once and keeps no plane. Source of the mathematics:
// docs/filters.md, "Adjoint and gradient of the parameters".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "iir2d/device.h"
#include "kernels/iir/axis_gradient.h"
#include "kernels/iir/costate_sweeps.h"
#include "kernels/iir/lane_rows.h"
#include "kernels/support/parallel.h"

namespace iir2d::iir {

// Plans the sweeps of the columns, immutable. The section's outputs y = B/A u appear only in products with
// costates, <y, l> = <u, B^T A^-T l>, and all of them are taps of a few sequences: T, dy through the feedback
// of all sections, and T through that of each section once more.
struct CostatePlan {
    struct Step {
        CostateTask task;
        std::array<double, 2> a;
        std::size_t first_sum;  // of its products
    };

    // Plans sections as the sweeps compute with them.
    explicit CostatePlan(const std::vector<GradientAxis::Part>& parts);

    int terms = 1;
    std::vector<Section> sections;
    std::vector<Step> steps;         // each runs over what the one before gave, those of `again` over T
    std::size_t all = 0;             // the step that gives T
    std::vector<std::size_t> again;  // for each section the step that gives T through it once more
    std::vector<double> taps;        // of all sections
    std::size_t sums = 0;
};

// A is what it computes in.
template <class S, class A>
class GradientRaster {
  public:
    // Returns whether it can go through such columns: one causal cascade of one or two sections, no wrap, no
    // steady mirror, and not too few samples.
    static bool suits(const GradientAxis& columns);

    // Prepares a raster. The axes must outlive it unchanged.
    GradientRaster(const GradientAxis& rows, const GradientAxis& columns);

    // Adds to `gradient` that of each parameter for one plane, and to `constant` that of the constant outside
    // the columns. The same bits for every number of threads. False when it was stopped.
    bool run(const LaneRows<const S>& x, const LaneRows<const S>& dy, int threads, const RunControl& control,
             support::ProgressRange range, std::span<double> gradient, double& constant) const;

  private:
    class Run;

    const GradientAxis& m_rows;
    const GradientAxis& m_columns;
    GradientAxis m_head;  // the columns' first samples
    CostatePlan m_plan;
};

}  // namespace iir2d::iir
