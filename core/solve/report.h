// SPDX-License-Identifier: MIT
// Writes what was solved as texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/solve/solve.h"

namespace workbench::solve {

// Holds log2 of the errors' quotients of each two sizes, one after the other; none where an error is not
// known or 0.
struct Rates {
    std::vector<std::optional<double>> max, l2, h1;
};
Rates rates_of(std::span<const Solved> refinements);

// In JSON the solution has at most this many nodes; the CSV has all.
constexpr std::size_t most_nodes_in_json = 65'536;

// Returns the last of the refinements, with the rates of all. At least one.
std::string to_json(std::span<const Solved> refinements);
// Coordinates, computed and exact values of the last, a row a node. Minimisations: a row a step.
std::string to_csv(std::span<const Solved> refinements);
// Returns a few lines for a person.
std::string to_text(std::span<const Solved> refinements);

}  // namespace workbench::solve
