// SPDX-License-Identifier: MIT
// Numbers drawn from a seed: the same everywhere.
#pragma once

#include <cstdint>

namespace workbench::solve {

// Draws random numbers by SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
// generators", 2014).
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : m_state(seed) {}
    double next() {  // in [0, 1)
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t m_state;
};

}  // namespace workbench::solve
