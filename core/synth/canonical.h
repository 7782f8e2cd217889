// SPDX-License-Identifier: MIT
// What a kernel is, whatever its names are and however the operands of + stand.
#pragma once

#include <string>
#include <string_view>

#include "core/synth/tree.h"

namespace workbench::synth {

// SHA-256, in hexadecimal, of the tree without names, operands that may change places in one order.
std::string canonical_hash(const Tree& tree);
// The same with literals reduced to their type and operations to their kind.
std::string skeleton_hash(const Tree& tree);
// train, valid or test, by the skeleton alone, so that no skeleton is in two.
std::string_view split_of(std::string_view skeleton);

}  // namespace workbench::synth
