// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace iir2d::support {

// Room for numbers that starts on a cache line. They are not initialised.
template <class T>
class AlignedArray {
    static_assert(std::is_trivial_v<T>);

  public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count)
        : m_data(count == 0 ? nullptr : static_cast<T*>(::operator new(count * sizeof(T), alignment))) {}

    T* data() const { return m_data.get(); }

  private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(T* data) const { ::operator delete(data, alignment); }
    };
    std::unique_ptr<T, Free> m_data;
};

}  // namespace iir2d::support
