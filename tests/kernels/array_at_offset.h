// SPDX-License-Identifier: MIT
// An array at a chosen place in a page: what is stored past the caches, and what waits for 4K aliasing,
// depends on where rows begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// An array that starts `behind` bytes after the start of a page.
template <class S>
class ArrayAtOffset {
  public:
    ArrayAtOffset(std::int64_t count, std::size_t behind)
        : m_room(static_cast<std::size_t>(count) + 2 * page / sizeof(S)) {
        const std::size_t past = reinterpret_cast<std::uintptr_t>(m_room.data()) % page;
        m_first = m_room.data() + (page - past) / sizeof(S) + behind / sizeof(S);
    }
    S* data() const { return m_first; }

  private:
    static constexpr std::size_t page = 4096;
    std::vector<S> m_room;
    S* m_first;
};
