// SPDX-License-Identifier: MIT
// Cold caches, where a measurement is to begin with them.
#pragma once

#include <cstddef>
#include <vector>

namespace workbench {

// Memory of twice the last-level cache, at least 64 MiB and at most 1 GiB. May throw std::bad_alloc.
class CacheEviction {
  public:
    CacheEviction();
    // Writes to all of it, so that nothing else is left in the caches of the calling thread's processor.
    void evict();
    std::size_t size() const { return m_memory.size(); }

  private:
    std::vector<unsigned char> m_memory;
};

}  // namespace workbench
