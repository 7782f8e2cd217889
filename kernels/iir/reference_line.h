// SPDX-License-Identifier: MIT
// Runs one line through one section in the reference's own scalar double arithmetic, which its filter, its
// adjoint and its gradients share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/filter.h"
#include "iir2d/plan.h"
#include "kernels/iir/border.h"

namespace iir2d::reference {

using Line = std::vector<double>;

// A section's input line with what it reads outside. An anticausal section sees the line from the other end:
// its "before the first sample" is what lies beyond the last.
struct Extended {
    const Line& line;
    Border border;
    double constant;
    bool reversed;

    std::int64_t size() const { return static_cast<std::int64_t>(line.size()); }
    double operator[](std::int64_t i) const {
        const std::int64_t index = iir::border_index(reversed ? size() - 1 - i : i, size(), border);
        return index < 0 ? constant : line[static_cast<std::size_t>(index)];
    }
};

// Holds y[-1] and y[-2].
struct History {
    double y1 = 0.0;
    double y2 = 0.0;
};

struct LineJob {
    Border border;
    Start start;
    double constant;  // what the axis's input line reads outside under Border::constant
};

// Returns the samples after which a periodic border repeats a line of n.
std::int64_t period_of(Border border, std::int64_t n);

using Matrix = std::array<double, 4>;  // row by row

// Returns I - M^period, M the section's companion matrix ((a1, a2), (1, 0)).
Matrix one_minus_period(const Section& s, std::int64_t period);

// Returns the history that a line starts with.
History start_history(const Section& s, const Extended& x, Start start);

// Runs one section over a line. The state-space form carries s = (s1, s2) with y = b0 x + s1, s1' = b1 x + a1
// y + s2, s2' = b2 x + a2 y, from the same history.
Line run_section(const Section& s, const Line& input, bool reversed, const LineJob& job);

// Runs a cascade over a line.
Line run_cascade(const std::vector<Section>& sections, Line line, bool reversed, LineJob job);

// Runs one axis over a line.
Line run_axis(const AxisFilter& axis, Line line, LineJob job);

// Returns an error unless the spans have the shape's elements.
Result<void> check_sizes(const Shape& shape, std::size_t first, std::size_t second);

// Returns the border constant that the columns read: under the steady start it has gone through the rows'
// filter.
double constant_below(const FilterDesc& desc, const FilterData& data);

}  // namespace iir2d::reference
