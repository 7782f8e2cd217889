// SPDX-License-Identifier: MIT
// Compares drawn filters and poolings with the library.
#pragma once

#include <string>
#include <string_view>

#include "core/synth/generate.h"

namespace workbench::synth {

// Runs the recurrence or the windows of a kernel of the categories iir or pool in the interpreter, without
// what the kernel does beside to samples and results. Compares with the library's reference
// (iir2d/reference.h), given the coefficients or the window that are read off the tree, within the bounds of
// the library's own plans. Returns what disagrees; empty: nothing does, or the kernel is of another category.
std::string library_disagreement(Category category, const Tree& tree, std::string_view canonical);

}  // namespace workbench::synth
