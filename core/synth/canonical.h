// SPDX-License-Identifier: MIT
// Hashes kernels independently of their names and of the order of the operands of +.
#pragma once

#include <string>
#include <string_view>

#include "core/synth/tree.h"

namespace workbench::synth {

// Returns the SHA-256, in hexadecimal, of the tree without names, with the operands of commutative operations
// in one order.
std::string canonical_hash(const Tree& tree);
// Returns the same with literals reduced to their type and operations to their kind.
std::string skeleton_hash(const Tree& tree);
// Returns train, valid or test, by the skeleton alone, so that no skeleton is in two.
std::string_view split_of(std::string_view skeleton);

}  // namespace workbench::synth
