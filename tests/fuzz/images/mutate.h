// SPDX-License-Identifier: MIT
// Damaged copies of a file, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace workbench::fuzz {

// SplitMix64 (Steele, Lea, Flood 2014): as good as this needs, and the same everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next();
    std::size_t below(std::size_t bound);  // precondition: bound > 0

  private:
    std::uint64_t m_state;
};

// One to four of: bytes set to 0, 7f, 80 or ff; bits flipped; the end cut off; a block copied, moved or
// removed; a number of 2 or 4 bytes made extreme, in either byte order; the rest of another file of the
// corpus put in its place. Half of them hit the first 256 bytes, where headers are.
std::string mutate(std::string_view file, std::span<const std::string> others, Random& random);

// Makes the checksums of a PNG file's chunks right again, as someone does who wants to get past them. Other
// files stay as they are.
void repair_checksums(std::string& file);

}  // namespace workbench::fuzz
