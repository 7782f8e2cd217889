// SPDX-License-Identifier: MIT
// Holds the options of a collection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tune/generate.h"
#include "iir2d/config.h"

namespace workbench::tune {

// Says which configs of a problem are measured: all candidates, static and some that are drawn, or those
// given.
struct Space {
    enum class Kind { exhaustive, sampled, given };
    Kind kind = Kind::exhaustive;
    std::size_t count = 0;               // of sampled
    std::vector<iir2d::Config> configs;  // of given
    bool other_bits = false;             // with candidates that change bits, on a GPU
};

// Reads "exhaustive", "sampled:4", or a file of configs, one a line.
Result<Space> space_from_text(const std::string& text);

// Returns the configs, static first, none twice.
Result<std::vector<iir2d::Config>> configs_of(const Space& space, const NamedProblem& problem,
                                              std::uint64_t seed, const iir2d::Device& device);

}  // namespace workbench::tune
