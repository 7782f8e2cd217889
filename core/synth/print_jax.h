// SPDX-License-Identifier: MIT
// A kernel as Python for JAX: one function that all threads do at once, on arrays that have an element for
// each.
#pragma once

#include <string>

#include "core/support/error.h"
#include "core/synth/tree.h"

namespace workbench::synth {

// Returns source whose function, named like the kernel, takes the inputs, the scalars, n and m (Python's
// ints) and returns the outputs: an array, or a tuple of several. Arrays of vectors have one axis more, of
// matrices two. bad_input names what has no such form: atomics, threads that work together, arrays of one
// thread.
Result<std::string> print_jax(const Tree& tree);

}  // namespace workbench::synth
