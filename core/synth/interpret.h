// SPDX-License-Identifier: MIT
// Runs a tree. Beside each value it keeps how far a conforming implementation may be from it, or, for the
// proof of an adjoint, a tangent. Blocks run in rising order, the threads of a block in step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/time_limit.h"
#include "core/synth/tree.h"

namespace workbench::synth {

// Holds the argument for one parameter of the kernel: an array, or one element for a scalar, n and m. A
// number lies in the low bytes of a slot in its own width; a vector or matrix takes a slot for each
// component.
struct Argument {
    Type type = Type::none;
    std::vector<std::uint64_t> slots;
    std::vector<double> extra;  // bounds or tangents; empty: all zero

    double number(std::size_t slot, bool wide = false) const;
};

enum class Mode : std::uint8_t {
    values,
    bounds,
    tangents,  // derivatives along the tangents of the inputs
};

struct Interpretation {
    Mode mode = Mode::bounds;
    bool wide = false;  // f32 is computed, and lies in the slots, as f64
    // Bounds of what may be computed in any order and fused, and may lose subnormal numbers: no operation of
    // floats that rounds is exact.
    bool loose = false;
    std::uint64_t most_steps = 1U << 18;  // iterations of loops and calls, of a block
    TimeLimit limit = {};                 // looked at between these
};

struct Interpreted {
    std::string error;  // an index out of bounds, a loop without an end, a limit that is over; empty: none
    bool undecided =
        false;  // a branch or conversion that another conforming implementation could take otherwise
};

// Runs ceil(n / 64) blocks of 64 threads. The arguments stand in the order of the kernel's parameters; what
// the kernel writes is in them afterwards.
Interpreted interpret(const Tree& tree, std::vector<Argument>& arguments, const Interpretation& how = {});

}  // namespace workbench::synth
