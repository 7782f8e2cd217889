// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace iir2d::support {

// Objects that are costly to make, for threads that need one at a time: what one thread gives back the next
// one takes, so there are never more than were in use at once. Any thread may borrow; the pool must outlive
// what is borrowed. The objects come as the last user left them.
template <class T>
class ObjectPool {
  public:
    class Borrowed {
      public:
        Borrowed(ObjectPool& pool, std::unique_ptr<T> object) : m_pool(pool), m_object(std::move(object)) {}
        Borrowed(const Borrowed&) = delete;
        Borrowed& operator=(const Borrowed&) = delete;
        ~Borrowed() { m_pool.take_back(std::move(m_object)); }
        T& operator*() const { return *m_object; }
        T* operator->() const { return m_object.get(); }

      private:
        ObjectPool& m_pool;
        std::unique_ptr<T> m_object;
    };

    // Takes an object that was given back, or makes one of the arguments.
    template <class... Arguments>
    Borrowed borrow(Arguments&&... arguments) {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_free.empty()) {
                std::unique_ptr<T> object = std::move(m_free.back());
                m_free.pop_back();
                return {*this, std::move(object)};
            }
        }
        return {*this, std::make_unique<T>(std::forward<Arguments>(arguments)...)};
    }

  private:
    void take_back(std::unique_ptr<T> object) noexcept {
        try {
            const std::lock_guard lock(m_mutex);
            m_free.push_back(std::move(object));
        } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to keep it; the next one is made anew
        }
    }

    std::mutex m_mutex;
    std::vector<std::unique_ptr<T>> m_free;
};

}  // namespace iir2d::support
