// SPDX-License-Identifier: MIT
// Seeds of what belongs to a problem.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/benchmark/synthetic.h"

namespace workbench::tune {

// Mixes a seed with a text, so that what is drawn for a problem does not depend on the problems before it.
constexpr std::uint64_t seed_of(std::uint64_t seed, std::string_view text, std::uint64_t number = 0) {
    std::uint64_t mixed = splitmix64(seed, number);
    for (const char c : text) mixed = splitmix64(mixed, static_cast<unsigned char>(c));
    return mixed;
}

}  // namespace workbench::tune
