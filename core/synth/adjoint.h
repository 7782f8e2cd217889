// SPDX-License-Identifier: MIT
// The derivative of a kernel, as a kernel: reverse mode on the tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/tree.h"

namespace workbench::synth {

struct Backward {
    Tree tree;                     // NAME_backward
    std::vector<std::string> wrt;  // the inputs and scalars that have an adjoint
    std::string reason;            // empty, or why there is none
};

// Says where the values of loops are kept for the backward sweep.
enum class LoopValues : std::uint8_t {
    // In local arrays: 64 entries, 256 in nested loops.
    in_arrays,
    // For loops that m bounds, in a parameter `double* tape` behind the adjoints, whose extent is as large as
    // they can become: for kernels that are launched with any m. Others, vectors and integers of 64 bits stay
    // in arrays.
    on_tape,
};

// Parameters of the result: the inputs, `const T* adj_OUT` for each output, `T* adj_IN` for each floating
// input and scalar, which is added to, the tape where one is needed, then the scalars, n and m.
Backward adjoint_of(const Tree& forward, LoopValues where = LoopValues::in_arrays);

// Returns a reason, as records have it in a word, with what it means: for people.
std::string explained_reason(std::string_view reason);

}  // namespace workbench::synth
