// SPDX-License-Identifier: MIT
// The planes that benchmarks run on when there is no image. Anyone can make them again: docs/benchmark.md has
// the recipe in words.
#pragma once

#include <cstdint>

#include "core/image/image.h"

namespace workbench {

// Computes the splitmix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// 2014) as a function of its position: the index-th output, counted from 0, of a generator seeded with
// `seed`.
constexpr std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// Returns one channel; sample i in row-major order is (splitmix64(seed, i) >> 40) / 2^24: uniform in [0, 1),
// exact in float, so that every precision starts from the same picture.
PlanarImage synthetic_plane(std::int64_t width, std::int64_t height, iir2d::ElementType type,
                            std::uint64_t seed);

}  // namespace workbench
