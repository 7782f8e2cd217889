// SPDX-License-Identifier: MIT
// The inner loops of the solvers as trees of the kernel language (core/synth). Every engine runs these, and
// nothing else, over the unknowns of a problem. docs/solvers.md.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/support/error.h"
#include "core/synth/adjoint.h"
#include "core/synth/tree.h"

namespace workbench::solve {

struct Kernel {
    std::string name;
    std::string subject;           // what it computes, in a line
    std::string source;            // in the language; it has one reading
    bool is_bounded = false;       // has operations that IEEE does not round exactly
    bool is_adjoint_used = false;  // a solver calls NAME_backward
    std::string no_backward;       // why it has no adjoint; empty: it has one
};

// Returns all, in a fixed order.
std::span<const Kernel> kernels();
// Returns the kernel of that name. bad_argument lists the names that there are.
Result<const Kernel*> find_kernel(std::string_view name);

// Returns the tree of a kernel, or of NAME_backward. Precondition: there is one. Thread-safe.
const synth::Tree& tree_of(std::string_view name);

// Gives trees in place of tree_of(), for tests that a mistake in one is found.
using Trees = std::function<const synth::Tree&(std::string_view name)>;

// Prints kernels.gen.cpp: the C++ that print_cpp() makes of the trees, each over a part of its threads, and a
// table.
std::string print_kernels();

// Describes a kernel of kernels.gen.cpp. An array's address is an element of `arguments`, else that of a
// scalar.
struct CompiledKernel {
    std::string_view name;
    void (*run)(void* const* arguments, int first, int last);
    bool is_divisible;  // threads may run at the same time: no two add to one element
};
std::span<const CompiledKernel> compiled_kernels();

}  // namespace workbench::solve
