// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace iir2d::support {

// Room for numbers that starts on a cache line. They are not initialised. A large one asks the system for
// huge pages: a plane of small pages costs a page fault for every 4 KiB, and columns a TLB miss a sample.
template <class T>
class AlignedArray {
    static_assert(std::is_trivial_v<T>);

  public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count)
        : m_data(count == 0 ? nullptr : allocate(count * sizeof(T)), Free{alignment_of(count * sizeof(T))}) {}

    T* data() const { return m_data.get(); }

  private:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;

    static std::align_val_t alignment_of(std::size_t bytes) {
        return std::align_val_t{bytes >= 2 * huge_page ? huge_page : 64};
    }
    static T* allocate(std::size_t bytes) {
        const std::align_val_t alignment = alignment_of(bytes);
        void* data = ::operator new(bytes, alignment);
#if defined(__linux__)
        // Advice alone: without it the pages are small ones.
        if (static_cast<std::size_t>(alignment) == huge_page) madvise(data, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(data);
    }

    struct Free {
        std::align_val_t alignment{64};
        void operator()(T* data) const { ::operator delete(data, alignment); }
    };
    std::unique_ptr<T, Free> m_data;
};

}  // namespace iir2d::support
