// SPDX-License-Identifier: MIT
// Sources of a tree. Both stand alone and have the same parameters; the host's runs the threads one after the
// other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/synth/tree.h"

namespace workbench::synth {

// Threads of a block, in every launch.
constexpr int block_threads = 64;

// Prints CUDA C++: one kernel, extern "C", with its helpers before it. parse() reads it back.
std::string print_cuda(const Tree& tree);
// Prints C++ for the host: one function, extern "C". Needs <math.h> alone.
std::string print_cpp(const Tree& tree);

// Joins sources to one, each in a namespace of its own, so that names they share do not collide. extern "C"
// names stay as they are.
std::string join_sources(const std::vector<std::string>& sources);

// Prints a literal as both sources have it; negative ones are in parentheses.
std::string literal_text(const Expr& literal);

// Return the lines that a source needs before its kernel: structures and operations of vectors and matrices.
std::string cuda_prelude(const Tree& tree);
std::string cpp_prelude(const Tree& tree);
// Returns whether a line is one of those that cuda_prelude() can give.
bool is_prelude_line(std::string_view line);

}  // namespace workbench::synth
