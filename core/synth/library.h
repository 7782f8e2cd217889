// SPDX-License-Identifier: MIT
// Drawn filters and poolings, held to the library whose kind they are of.
#pragma once

#include <string>
#include <string_view>

#include "core/synth/generate.h"

namespace workbench::synth {

// Of a kernel of iir or pool: runs its recurrence or its windows, without what the kernel does to samples and
// results beside, in the interpreter, and compares with the library's reference (iir2d/reference.h) given the
// coefficients or the window that are read off the tree, within the bounds of the library's own plans.
// Returns what disagrees; empty: nothing does, or the kernel is of another category.
std::string library_disagreement(Category category, const Tree& tree, std::string_view canonical);

}  // namespace workbench::synth
