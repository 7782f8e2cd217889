// SPDX-License-Identifier: MIT
#include "core/ptx/shadow.h"

#include <algorithm>
#include <bit>

namespace workbench::ptx {

Clocks::Clocks(std::uint32_t count)
    : sees(static_cast<std::size_t>(count) * count, 0), warps(count), warp(count) {}

void Clocks::warp_sync(std::uint32_t index, std::uint32_t mask, std::uint32_t live) {
    WarpClock& clock = warp[index];
    if (clock.uniform && (live & ~mask) == 0) {
        ++clock.epoch;
        return;
    }
    if (clock.uniform) {
        clock.uniform = false;
        clock.met = std::make_unique<std::array<std::array<std::uint32_t, lanes>, lanes>>();
        for (auto& row : *clock.met) row.fill(clock.epoch - 1);
    }
    auto& met = *clock.met;
    std::array<std::uint32_t, lanes> joined{};
    for (unsigned i = 0; i < lanes; ++i) {
        if (((mask >> i) & 1U) == 0) continue;
        for (unsigned j = 0; j < lanes; ++j) joined[j] = std::max(joined[j], met[i][j]);
    }
    for (unsigned j = 0; j < lanes; ++j) {
        if (((mask >> j) & 1U) != 0) joined[j] = clock.epoch;
    }
    for (unsigned i = 0; i < lanes; ++i) {
        if (((mask >> i) & 1U) != 0) met[i] = joined;
    }
    ++clock.epoch;
}

void Clocks::arrive(std::uint32_t index, std::vector<std::uint32_t>& seen) {
    seen.resize(warps, 0);
    for (std::uint32_t v = 0; v < warps; ++v)
        seen[v] = std::max(seen[v], sees[static_cast<std::size_t>(index) * warps + v]);
    seen[index] = std::max(seen[index], tick);
    ++tick;  // what comes after it is in nobody's sight
}

void Clocks::barrier(const std::vector<std::uint32_t>& participants, const std::vector<std::uint32_t>& seen) {
    std::vector<std::uint32_t> joined(seen);
    joined.resize(warps, 0);
    for (const std::uint32_t w : participants) {
        for (std::uint32_t v = 0; v < warps; ++v)
            joined[v] = std::max(joined[v], sees[static_cast<std::size_t>(w) * warps + v]);
    }
    for (const std::uint32_t w : participants) joined[w] = tick;
    for (const std::uint32_t w : participants) {
        std::ranges::copy(joined, sees.begin() + static_cast<std::ptrdiff_t>(w) * warps);
        warp_sync(w, every_lane, every_lane);
        // All lanes have met: whatever they missed before is behind them.
        warp[w].uniform = true;
        warp[w].met.reset();
    }
    ++tick;
}

std::uint32_t Clocks::open_lanes(const Access& before, const Access& now) const {
    const std::uint32_t others = before.lane_mask & ~(1U << now.lane);
    const WarpClock& clock = warp[now.warp];
    if (clock.uniform) return clock.epoch > before.epoch ? 0 : others;
    std::uint32_t open = 0;
    for (std::uint32_t rest = others; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if ((*clock.met)[now.lane][lane] < before.epoch) open |= 1U << lane;
    }
    return open;
}

std::uint32_t Clocks::open_warps(const Access& before, const Access& now) const {
    std::uint32_t open = 0;
    for (std::uint32_t rest = before.warp_mask; rest != 0; rest &= rest - 1) {
        const auto v = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (sees[static_cast<std::size_t>(now.warp) * warps + v] >= before.tick) continue;
        // Epochs are each warp's own: of its own lanes among several warps only this much is known.
        if (v == now.warp && warp[v].epoch > before.epoch) continue;
        open |= 1U << v;
    }
    return open;
}

bool Clocks::is_ordered(const Access& before, const Access& now) const {
    if (before.block != now.block) return false;
    if (before.warp == several) return open_warps(before, now) == 0;
    if (before.warp != now.warp)
        return sees[static_cast<std::size_t>(now.warp) * warps + before.warp] >= before.tick;
    return open_lanes(before, now) == 0;
}

void ShadowPages::reset() {
    m_pages.clear();
    m_split.clear();
}

void ShadowPages::add(std::uint64_t page) {
    if (page >= m_pages.size()) m_pages.resize(page + 1);
    m_pages[page] = std::make_unique<std::array<ShadowCell, page_words>>();
}

ShadowCell* ShadowPages::parts_of(ShadowCell& cell) {
    if (cell.split == 0) {
        m_split.push_back(std::make_unique<std::array<ShadowCell, 4>>());
        m_split.back()->fill(cell);
        cell.split = static_cast<std::uint32_t>(m_split.size());
    }
    return m_split[cell.split - 1]->data();
}

namespace {

void note_read(ShadowCell& cell, const Access& now, const Clocks& clocks) {
    Access& last = cell.last_read;
    Access& first = cell.first_read;
    if (last.valid && last.block != now.block) {
        cell.other_reader = last.block + 1;
        last.valid = first.valid = false;
    }
    const auto same_warp = [&](Access& held) {
        // Several lanes of a warp read between two syncs.
        const bool again = held.valid && held.warp == now.warp;
        if (!again) return false;
        const std::uint32_t open = clocks.open_lanes(held, now);
        held = now;
        held.lane_mask |= open;
        if (open != 0) held.lane = several;
        return true;
    };
    if (same_warp(last) || same_warp(first)) return;
    if (last.valid && !clocks.is_ordered(last, now)) first = last;
    last = now;
}

}  // namespace

Access note(ShadowCell& cell, const Access& now, AccessKind kind, std::uint64_t serial, bool equal,
            const Clocks& clocks) {
    // A word that nobody has touched before, as most of an image's.
    if (!cell.write.valid && !cell.last_read.valid && cell.other_reader == 0) {
        if (kind == AccessKind::read) {
            cell.last_read = now;
            return {};
        }
        cell.write = now;
        cell.write.atomic = kind == AccessKind::atomic;
        cell.write_serial = serial;
        return {};
    }
    Access race;
    const Access before = cell.write;
    if (before.valid && !clocks.is_ordered(before, now)) {
        const bool both_atomic = before.atomic && kind == AccessKind::atomic;
        const bool same_instruction = kind == AccessKind::write && cell.write_serial == serial && serial != 0;
        if (!both_atomic && !(same_instruction && equal)) race = before;
    }
    if (kind == AccessKind::read) {
        note_read(cell, now, clocks);
        return race;
    }
    // Of one's own read in the same instruction there is none.
    for (const Access* read : {&cell.first_read, &cell.last_read}) {
        if (!race.valid && read->valid && !clocks.is_ordered(*read, now)) race = *read;
    }
    if (!race.valid && cell.other_reader != 0 && cell.other_reader != now.block + 1) {
        race = now;
        race.block = cell.other_reader - 1;
        race.lane = several;
    }
    cell.write = now;
    cell.write.atomic = kind == AccessKind::atomic;
    if (cell.write.atomic && before.valid && before.atomic && !clocks.is_ordered(before, now)) {
        // Atomics of several: whoever comes next is held against all of them that are not ordered with this.
        if (before.block != now.block) {
            cell.write.block = several_blocks;
        } else if (before.warp == now.warp) {
            cell.write.lane_mask |= clocks.open_lanes(before, now);
        } else {
            cell.write.lane_mask |= before.lane_mask;
            cell.write.warp_mask |=
                before.warp == several ? clocks.open_warps(before, now) : before.warp_mask;
        }
        if (std::popcount(cell.write.warp_mask) > 1 || before.block != now.block) cell.write.warp = several;
        if (std::popcount(cell.write.lane_mask) > 1 || cell.write.warp == several) cell.write.lane = several;
    }
    cell.write_serial = serial;
    return race;
}

}  // namespace workbench::ptx
