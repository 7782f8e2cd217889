// SPDX-License-Identifier: MIT
// Turns an axis into sweeps over lines: which sections share a sweep, what each reads and writes.
#pragma once

#include <vector>

#include "iir2d/filter.h"

namespace iir2d::iir {

// One sweep over a line in one direction, through one or more sections.
struct Pass {
    bool reversed = false;
    std::vector<Section> sections;
    bool from_scratch = false;  // reads the scratch line, else the line
    bool to_scratch = false;    // writes the scratch line, else the line
    bool add_scratch = false;   // adds the scratch line to what it writes
    double constant = 0.0;      // what the pass's input line reads outside under Border::constant
};

// Makes the sweeps of an axis. `constant` is what the axis's input line reads outside. The sections of a
// cascade share a sweep where the border samples of the lines between them follow from the first few samples;
// where they need a far end or a long history (wrap, and mirror under the steady start) each section has its
// own.
std::vector<Pass> make_passes(const AxisFilter& axis, Border border, Start start, double constant);

// Returns the stages and sections that go through a line in the opposite direction: from the last to the
// first, each against its own direction.
AxisFilter transposed(const AxisFilter& axis);

}  // namespace iir2d::iir
