// SPDX-License-Identifier: MIT
// Memory between two pages that are not there: a kernel that reads or writes a byte beside what it was given
// crashes.
#pragma once

#if defined(__unix__)

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace kernels_testing {

enum class Beside { page_before, page_behind };

// Elements that begin behind the one page or end before the other.
template <class T>
class GuardedMemory {
  public:
    GuardedMemory(std::size_t count, Beside beside)
        : m_page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          m_inside((count * sizeof(T) + m_page - 1) / m_page * m_page),
          m_memory(mmap(nullptr, m_inside + 2 * m_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (m_memory == MAP_FAILED) return;
        char* const inside = static_cast<char*>(m_memory) + m_page;
        if (m_inside > 0) mprotect(inside, m_inside, PROT_READ | PROT_WRITE);
        const std::size_t before = beside == Beside::page_before ? 0 : m_inside - count * sizeof(T);
        m_elements = {reinterpret_cast<T*>(inside + before), count};
    }
    GuardedMemory(const std::vector<T>& values, Beside beside) : GuardedMemory(values.size(), beside) {
        std::ranges::copy(values, m_elements.begin());
    }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;
    ~GuardedMemory() {
        if (m_memory != MAP_FAILED) munmap(m_memory, m_inside + 2 * m_page);
    }

    T* data() const { return m_elements.data(); }
    std::span<T> elements() const { return m_elements; }
    bool has_bits_of(const std::vector<T>& values) const {
        return values.size() == m_elements.size() &&
               std::memcmp(values.data(), m_elements.data(), values.size() * sizeof(T)) == 0;
    }

  private:
    std::size_t m_page;
    std::size_t m_inside;
    void* m_memory;
    std::span<T> m_elements;
};

}  // namespace kernels_testing

#endif
