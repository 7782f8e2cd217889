// SPDX-License-Identifier: MIT
// Sources of a tree. Both stand alone and have the same parameters; the host's runs the threads one after the
// other.
#pragma once

#include <cstdint>
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

// Prints a literal as CUDA's source has it; negative ones are in parentheses. The least integers are
// converted from their bits in hexadecimal, and so are infinities and NaNs, which the host's source calls by
// name.
std::string literal_text(const Expr& literal);
// Prints a literal as the host's source has it.
std::string host_literal_text(const Expr& literal);
constexpr std::uint64_t least_i32 = 0x80000000U, least_i64 = std::uint64_t{1} << 63;  // their bits

// Return the lines that a source needs before its kernel: structures and operations of vectors and matrices.
std::string cuda_prelude(const Tree& tree);
std::string cpp_prelude(const Tree& tree);
// Returns whether a line is one of those that cuda_prelude() can give.
bool is_prelude_line(std::string_view line);

}  // namespace workbench::synth
