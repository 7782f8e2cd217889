// SPDX-License-Identifier: MIT
// Keeps global memory: allocations, which of their bytes hold values, which sectors a launch has touched, and
// who touched them last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ptx/code.h"
#include "core/ptx/shadow.h"

namespace workbench::ptx {

constexpr std::uint64_t sector_bytes = 32;

// Sets of sectors of an allocation.
class SectorSet {
  public:
    void reset() { m_bits.clear(); }
    // Adds the sectors first to last, counted from the allocation's begin; says how many are new.
    std::uint64_t add(std::uint64_t first, std::uint64_t last, std::uint64_t sectors);

  private:
    std::vector<std::uint64_t> m_bits;
};

struct Allocation {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::byte* host = nullptr;
    std::unique_ptr<std::byte[]> owned;
    // One for each byte; none while all hold values, as of what was given from outside.
    std::vector<std::uint8_t> written;
    bool fresh = false;  // nobody has written anything yet, and `written` is not made yet
    SectorSet loaded;
    SectorSet stored;
    ShadowPages shadow;

    std::uint64_t sectors() const { return (end - begin + 2 * sector_bytes - 1) / sector_bytes; }
    // Makes `written` where it is needed; false where all bytes hold values.
    bool tracks_writing();
};

class MemoryState {
  public:
    Allocation* find(std::uint64_t address);
    Allocation& add(std::uint64_t begin, std::uint64_t bytes, std::byte* host, bool written);
    void remove(std::uint64_t address);
    std::uint64_t allocate(std::uint64_t bytes);
    // Forgets what the last launch touched, and moves time on, so that its accesses are of an earlier one.
    void begin_launch();
    // Returns the time of accesses, over all launches (shadow.h).
    std::uint64_t& time() { return m_time; }
    FreePages& free_pages() { return m_free_pages; }
    // Returns where the variables of a program lie; they are made, with their first values, when it is first
    // asked for.
    const std::vector<std::uint64_t>& variables_of(const Program& program);

  private:
    std::map<std::uint64_t, Allocation> m_allocations;
    std::map<std::uint64_t, std::vector<std::uint64_t>> m_variables;  // by the programs' serial numbers
    std::uint64_t m_next = 0x10'0000'0000ULL;
    std::uint64_t m_time = 1;
    FreePages m_free_pages;
};

// Returns the address of a variable of a module, as an initialiser or a kernel sees it.
std::uint64_t resolved(const GlobalVariable::Address& address, const std::vector<std::uint64_t>& variables);

}  // namespace workbench::ptx
