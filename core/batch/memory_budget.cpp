// SPDX-License-Identifier: MIT
#include "core/batch/memory_budget.h"

#include <limits>
#include <utility>

#include "core/support/memory.h"

namespace workbench {

std::uint64_t MemoryBudget::usable_bytes() {
    const auto available = available_memory_bytes();
    return available ? *available / 4 * 3 : std::numeric_limits<std::uint64_t>::max();
}

MemoryBudget::Lease::Lease(Lease&& other) noexcept
    : m_budget(std::exchange(other.m_budget, nullptr)), m_bytes(other.m_bytes) {}

MemoryBudget::Lease::~Lease() {
    if (m_budget == nullptr) return;
    {
        const std::scoped_lock lock(m_budget->m_mutex);
        m_budget->m_taken -= m_bytes;
    }
    m_budget->m_freed.notify_all();
}

std::optional<MemoryBudget::Lease> MemoryBudget::take(std::uint64_t bytes, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    if (!m_freed.wait(lock, stop, [&] { return bytes <= m_bytes - m_taken; })) return std::nullopt;
    m_taken += bytes;
    return std::optional<Lease>(std::in_place, *this, bytes);
}

}  // namespace workbench
