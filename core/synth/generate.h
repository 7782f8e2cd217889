// SPDX-License-Identifier: MIT
// Kernels drawn at random, category by category. A candidate's tree depends on the generator's version, the
// run's seed and its number alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/tree.h"

namespace workbench::synth {

// Raised by every change of what a seed gives; tests/core/synth/golden.txt guards it.
constexpr int generator_version = 2;

enum class Category : std::uint8_t {
    arithmetic,
    math,
    array,
    control_flow,
    combined,
    vector,
    matrix,
    atomic,
    nested_loop,
    multi_conditional,
    scalar_param,
    block,
    iir,
    pool,
};
constexpr int categories = 14;
std::string_view name_of(Category category);
std::optional<Category> category_from_name(std::string_view name);

struct Candidate {
    Category category = Category::arithmetic;
    Tree tree;  // its kernel's name is words, then the first 8 digits of the canonical hash
    std::vector<std::string> ops;  // sorted
    std::string canonical;
    std::string skeleton;
};

Candidate generate(Category category, std::uint64_t seed, std::uint64_t number);

// Says what a tree breaks of its category's rules; empty: nothing.
std::string broken_rule(Category category, const Tree& tree);

// Returns the names, by the table, of the operations in a tree: add, minimum, where, atomic_add, ...
std::vector<std::string> ops_of(const Tree& tree);

// Returns how deep its expressions are, and how many nodes but leaves it has.
int depth_of(const Tree& tree);
int nodes_of(const Tree& tree);
std::string_view complexity_of(const Tree& tree);  // simple, medium, complex

}  // namespace workbench::synth
