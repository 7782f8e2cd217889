// SPDX-License-Identifier: MIT
// Trees of CUDA C++ that is inside the language: the inverse of print_cuda().
#pragma once

#include <string_view>

#include "core/support/error.h"
#include "core/synth/tree.h"

namespace workbench::synth {

// Reads the source's only kernel, or the one of that name. What is outside of the language is bad_input and
// is named with its line. parse(print_cuda(tree)) is the tree.
Result<Tree> parse(std::string_view source, std::string_view kernel = {});

}  // namespace workbench::synth
