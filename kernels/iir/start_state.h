// SPDX-License-Identifier: MIT
// The state of a pass's sections before the first sample, for many lines ("lanes") at once. In double
// whatever the precision: it is little work, and an error here would be carried along the line.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "iir2d/filter.h"
#include "kernels/iir/passes.h"

namespace iir2d::iir {

// The state of the transposed direct form II: y = b0 x + s1; s1' = b1 x + a1 y + s2; s2' = b2 x + a2 y.
struct SectionState {
    std::vector<double> s1;  // one per lane
    std::vector<double> s2;
};

// Loads the lanes' samples at one index of the pass's input line, counted from its own start (a reversed pass
// counts from the line's end).
using LoadLanes = std::function<void(std::int64_t index, double* out)>;

// One state per section of the pass, for lines of n samples.
std::vector<SectionState> start_states(const Pass& pass, std::int64_t n, std::size_t lanes, Border border,
                                       Start start, const LoadLanes& load);

}  // namespace iir2d::iir
