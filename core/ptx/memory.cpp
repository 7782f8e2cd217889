// SPDX-License-Identifier: MIT
#include "core/ptx/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace workbench::ptx {

std::uint64_t SectorSet::add(std::uint64_t first, std::uint64_t last, std::uint64_t sectors) {
    if (m_bits.empty()) m_bits.resize(sectors / 64 + 1);
    std::uint64_t added = 0;
    for (std::uint64_t sector = first; sector <= last; ++sector) {
        std::uint64_t& word = m_bits[sector / 64];
        const std::uint64_t bit = 1ULL << (sector % 64);
        added += (word & bit) == 0 ? 1 : 0;
        word |= bit;
    }
    return added;
}

bool Allocation::tracks_writing() {
    if (fresh) {
        written.assign(end - begin, 0);
        fresh = false;
    }
    return !written.empty();
}

Allocation* MemoryState::find(std::uint64_t address) {
    const auto next = m_allocations.upper_bound(address);
    if (next == m_allocations.begin()) return nullptr;
    Allocation& allocation = std::prev(next)->second;
    return address < allocation.end ? &allocation : nullptr;
}

Allocation& MemoryState::add(std::uint64_t begin, std::uint64_t bytes, std::byte* host, bool written) {
    Allocation& allocation = m_allocations[begin];
    allocation = Allocation{};
    allocation.begin = begin;
    allocation.end = begin + bytes;
    allocation.host = host;
    allocation.fresh = !written;
    return allocation;
}

void MemoryState::remove(std::uint64_t address) {
    const auto found = m_allocations.find(address);
    if (found == m_allocations.end()) return;
    found->second.shadow.reset(m_free_pages);
    m_allocations.erase(found);
}

std::uint64_t MemoryState::allocate(std::uint64_t bytes) {
    auto owned = std::make_unique<std::byte[]>(bytes);
    const std::uint64_t begin = m_next;
    m_next += (bytes + 255) / 256 * 256 + 4096;  // what lies between is nobody's
    Allocation& allocation = add(begin, bytes, owned.get(), false);
    allocation.owned = std::move(owned);
    return begin;
}

void MemoryState::begin_launch() {
    for (auto& [begin, allocation] : m_allocations) {
        allocation.loaded.reset();
        allocation.stored.reset();
        allocation.shadow.reset(m_free_pages);
    }
    ++m_time;
}

std::uint64_t resolved(const GlobalVariable::Address& address, const std::vector<std::uint64_t>& variables) {
    if (address.space == Space::constant) {
        const std::uint64_t window = address.generic ? constant_window : 0;
        return window + address.variable + static_cast<std::uint64_t>(address.added);
    }
    return variables[address.variable] + static_cast<std::uint64_t>(address.added);
}

const std::vector<std::uint64_t>& MemoryState::variables_of(const Program& program) {
    const auto found = m_variables.find(program.serial);
    if (found != m_variables.end()) return found->second;
    std::vector<std::uint64_t>& places = m_variables[program.serial];
    for (const GlobalVariable& variable : program.globals)
        places.push_back(allocate(std::max<std::uint64_t>(variable.bytes, 1)));
    for (std::size_t v = 0; v < program.globals.size(); ++v) {
        const GlobalVariable& variable = program.globals[v];
        Allocation& allocation = *find(places[v]);
        allocation.fresh = false;  // a variable begins as zeros
        std::ranges::copy(variable.initial, allocation.host);
        for (const auto& address : variable.addresses) {
            const std::uint64_t value = resolved(address, places);
            std::memcpy(allocation.host + address.offset, &value, sizeof value);
        }
    }
    return places;
}

Memory::Memory() : m_state(std::make_unique<MemoryState>()) {}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

std::uint64_t Memory::allocate(std::uint64_t bytes) {
    return m_state->allocate(bytes);
}
void Memory::attach(std::uint64_t address, std::span<std::byte> bytes, bool written) {
    m_state->add(address, bytes.size(), bytes.data(), written);
}
void Memory::detach(std::uint64_t address) {
    m_state->remove(address);
}

std::span<std::byte> Memory::bytes(std::uint64_t address, std::uint64_t count) {
    const Allocation* const allocation = m_state->find(address);
    if (allocation == nullptr || count > allocation->end - address) return {};
    return {allocation->host + (address - allocation->begin), count};
}

void Memory::mark_written(std::uint64_t address, std::uint64_t count) {
    Allocation* const allocation = m_state->find(address);
    if (allocation == nullptr || count > allocation->end - address) return;
    if (count == allocation->end - allocation->begin) {
        allocation->fresh = false;
        allocation->written.clear();
    } else if (allocation->tracks_writing()) {
        std::fill_n(allocation->written.begin() + static_cast<std::ptrdiff_t>(address - allocation->begin),
                    count, std::uint8_t{1});
    }
}

void Memory::mark_fresh(std::uint64_t address, std::uint64_t count) {
    Allocation* const allocation = m_state->find(address);
    if (allocation == nullptr || count > allocation->end - address) return;
    if (count == allocation->end - allocation->begin) {
        allocation->written.clear();
        allocation->fresh = true;
        return;
    }
    if (!allocation->tracks_writing()) allocation->written.assign(allocation->end - allocation->begin, 1);
    std::fill_n(allocation->written.begin() + static_cast<std::ptrdiff_t>(address - allocation->begin), count,
                std::uint8_t{0});
}

}  // namespace workbench::ptx
