// SPDX-License-Identifier: MIT
// The derivative of a kernel, as a kernel: reverse mode on the tree.
#pragma once

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

// Parameters of the result: the inputs, `const T* adj_OUT` for each output, `T* adj_IN` for each floating
// input and scalar, which is added to, then the scalars, n and m. Values of loops are kept on local arrays:
// 64 entries, 256 in nested loops.
Backward adjoint_of(const Tree& forward);

// Returns a reason, as records have it in a word, with what it means: for people.
std::string explained_reason(std::string_view reason);

}  // namespace workbench::synth
