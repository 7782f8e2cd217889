// SPDX-License-Identifier: MIT
// Whole numbers drawn from a seed. Every compiler and library draws the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/benchmark/synthetic.h"

namespace workbench {

class Draws {
  public:
    explicit Draws(std::uint64_t seed) : m_seed(seed) {}
    std::uint64_t next() { return splitmix64(m_seed, m_index++); }
    // Below `count`, which is at most 2^31: uneven by less than count / 2^32.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(((next() >> 32) * count) >> 32); }

  private:
    std::uint64_t m_seed;
    std::uint64_t m_index = 0;
};

}  // namespace workbench
