// SPDX-License-Identifier: MIT
// Measures how long the texts of a data set are.
#pragma once

#include <cstdint>
#include <vector>

namespace workbench::synth {

// Sizes of texts, in bytes; parts by the nearest rank.
struct TextSizes {
    std::uint64_t texts = 0;
    double mean = 0;
    std::uint64_t least = 0;
    std::uint64_t median = 0;
    std::uint64_t p95 = 0;
    std::uint64_t largest = 0;
};
TextSizes sizes_of(std::vector<std::uint64_t> sizes);

}  // namespace workbench::synth
