// SPDX-License-Identifier: MIT
// Memory that several jobs share: each says what it needs before it begins.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>

namespace workbench {

// Thread-safe. Outlives the leases.
class MemoryBudget {
  public:
    explicit MemoryBudget(std::uint64_t bytes) : m_bytes(bytes) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    // Returns three quarters of what this process could take now; without an answer from the system, no
    // limit.
    static std::uint64_t usable_bytes();

    class Lease {
      public:
        Lease(MemoryBudget& budget, std::uint64_t bytes) : m_budget(&budget), m_bytes(bytes) {}
        ~Lease();
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&&) = delete;

      private:
        MemoryBudget* m_budget;
        std::uint64_t m_bytes;
    };

    std::uint64_t bytes() const { return m_bytes; }
    // Waits until the bytes are free. Absent when `stop` asked meanwhile. Precondition: at most bytes().
    std::optional<Lease> take(std::uint64_t bytes, const std::stop_token& stop);

  private:
    const std::uint64_t m_bytes;
    std::mutex m_mutex;
    std::condition_variable_any m_freed;
    std::uint64_t m_taken = 0;  // guarded by m_mutex
};

}  // namespace workbench
