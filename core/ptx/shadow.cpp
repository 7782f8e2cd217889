// SPDX-License-Identifier: MIT
#include "core/ptx/shadow.h"

#include <algorithm>
#include <bit>

namespace workbench::ptx {

Clocks::Clocks(std::uint32_t count, std::uint64_t& clock)
    : time(clock),
      begin(clock++),
      sees(static_cast<std::size_t>(count) * count, begin),
      warps(count),
      warp(count) {
    for (WarpClock& one : warp) one.synced = begin;
}

void Clocks::warp_sync(std::uint32_t index, std::uint32_t mask, std::uint32_t live) {
    WarpClock& clock = warp[index];
    if (clock.uniform && (live & ~mask) == 0) {
        clock.synced = time++;
        return;
    }
    if (clock.uniform) {
        clock.uniform = false;
        clock.met = std::make_unique<std::array<std::array<std::uint64_t, lanes>, lanes>>();
        for (auto& row : *clock.met) row.fill(clock.synced);
    }
    auto& met = *clock.met;
    std::array<std::uint64_t, lanes> joined{};
    for (unsigned i = 0; i < lanes; ++i) {
        if (((mask >> i) & 1U) == 0) continue;
        for (unsigned j = 0; j < lanes; ++j) joined[j] = std::max(joined[j], met[i][j]);
    }
    for (unsigned j = 0; j < lanes; ++j) {
        if (((mask >> j) & 1U) != 0) joined[j] = time;
    }
    for (unsigned i = 0; i < lanes; ++i) {
        if (((mask >> i) & 1U) != 0) met[i] = joined;
    }
    clock.synced = time++;
}

void Clocks::arrive(std::uint32_t index, std::vector<std::uint64_t>& seen) {
    seen.resize(warps, 0);
    for (std::uint32_t v = 0; v < warps; ++v)
        seen[v] = std::max(seen[v], sees[static_cast<std::size_t>(index) * warps + v]);
    seen[index] = std::max(seen[index], time);
    ++time;  // what comes after it is in nobody's sight
}

void Clocks::barrier(const std::vector<std::uint32_t>& participants, const std::vector<std::uint64_t>& seen) {
    std::vector<std::uint64_t> joined(seen);
    joined.resize(warps, 0);
    for (const std::uint32_t w : participants) {
        for (std::uint32_t v = 0; v < warps; ++v)
            joined[v] = std::max(joined[v], sees[static_cast<std::size_t>(w) * warps + v]);
    }
    for (const std::uint32_t w : participants) joined[w] = time;
    for (const std::uint32_t w : participants) {
        std::ranges::copy(joined, sees.begin() + static_cast<std::ptrdiff_t>(w) * warps);
        // All lanes have met: whatever they missed before is behind them.
        warp[w].synced = time;
        warp[w].uniform = true;
        warp[w].met.reset();
    }
    ++time;
}

std::uint32_t Clocks::open_lanes(const Access& before, const Access& now) const {
    const std::uint32_t others = before.lane_mask & ~(1U << now.lane);
    const WarpClock& clock = warp[now.warp];
    if (clock.uniform) return clock.synced >= before.time ? 0 : others;
    std::uint32_t open = 0;
    for (std::uint32_t rest = others; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if ((*clock.met)[now.lane][lane] < before.time) open |= 1U << lane;
    }
    return open;
}

std::uint32_t Clocks::open_warps(const Access& before, const Access& now) const {
    std::uint32_t open = 0;
    for (std::uint32_t rest = before.warp_mask; rest != 0; rest &= rest - 1) {
        const auto v = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (sees[static_cast<std::size_t>(now.warp) * warps + v] >= before.time) continue;
        // A warp's own lanes meet without others: of them among several warps only this much is known.
        if (v == now.warp && warp[v].synced >= before.time) continue;
        open |= 1U << v;
    }
    return open;
}

bool Clocks::is_ordered(const Access& before, const Access& now) const {
    if (before.block != now.block) return false;
    if (before.warp == several) return open_warps(before, now) == 0;
    if (before.warp != now.warp)
        return sees[static_cast<std::size_t>(now.warp) * warps + before.warp] >= before.time;
    return open_lanes(before, now) == 0;
}

void ShadowPages::reset(FreePages& free) {
    for (auto& page : m_pages) {
        if (page != nullptr) free.push_back(std::move(page));
    }
    m_pages.clear();
    m_records.clear();
}

void ShadowPages::add(std::uint64_t page, FreePages& free) {
    if (page >= m_pages.size()) m_pages.resize(page + 1);
    if (free.empty()) {
        m_pages[page] = std::make_unique<ShadowPage>();
    } else {
        m_pages[page] = std::move(free.back());
        free.pop_back();
    }
}

namespace {

std::uint64_t stamp_of(const Access& access) {
    const std::uint64_t lane =
        access.lane == several
            ? stamp_several | static_cast<unsigned>(std::countr_zero(access.lane_mask | 1U << 31U))
            : access.lane;
    return access.time << 16U | std::uint64_t{access.warp} << 8U | lane | (access.atomic ? stamp_atomic : 0);
}

Access access_of(std::uint64_t stamp, std::uint32_t block, std::uint32_t lane_mask) {
    if (stamp == 0) return {};
    const auto warp = static_cast<std::uint8_t>(stamp >> 8U);
    return {.time = stamp >> 16U,
            .block = block,
            .lane_mask = lane_mask,
            .warp_mask = 1U << warp,
            .warp = warp,
            .lane = (stamp & stamp_several) != 0 ? several : static_cast<std::uint8_t>(stamp & stamp_lane),
            .valid = true,
            .atomic = (stamp & stamp_atomic) != 0};
}

// Whether a cell has room for all of it.
bool fits(const Record& record) {
    const Access& write = record.write;
    return !record.first_read.valid && record.other_atomic_reader == 0 &&
           !(record.last_read.valid && record.last_read.atomic) &&
           (!write.valid || (write.lane != several && write.warp != several &&
                             std::has_single_bit(write.lane_mask) && std::has_single_bit(write.warp_mask)));
}

}  // namespace

Record ShadowPages::record_of(const ShadowCell& cell) const {
    if ((cell.read & stamp_recorded) != 0) return m_records[cell.read_lanes];
    const auto writer = static_cast<unsigned>(cell.write & stamp_lane);
    return {.write = access_of(cell.write, cell.write_block, 1U << writer),
            .first_read = {},
            .last_read = access_of(cell.read, cell.read_block, cell.read_lanes),
            .other_reader = cell.other_reader,
            .other_atomic_reader = 0};
}

void ShadowPages::keep(ShadowCell& cell, const Record& record, const Access& now) {
    const bool has_record = (cell.read & stamp_recorded) != 0;
    if (!has_record && fits(record)) {
        const Access& write = record.write;
        const Access& read = record.last_read;
        cell = {.write = write.valid ? stamp_of(write) : 0,
                .read = read.valid ? stamp_of(read) : 0,
                .write_block = write.block,
                .read_block = read.block,
                .read_lanes = read.lane_mask,
                .other_reader = record.other_reader};
        return;
    }
    if (has_record) {
        m_records[cell.read_lanes] = record;
    } else {
        cell.read_lanes = static_cast<std::uint32_t>(m_records.size());
        cell.other_reader = 0;
        m_records.push_back(record);
    }
    cell.read = stamp_of(now) | stamp_recorded;
}

Record& ShadowPages::byte_of(ShadowCell& cell, unsigned byte, const Access& now) {
    if (!is_split(cell)) {
        const Record whole = record_of(cell);
        cell.read_lanes = static_cast<std::uint32_t>(m_records.size());
        cell.other_reader = 1;
        m_records.insert(m_records.end(), 4, whole);
    }
    cell.read = stamp_of(now) | stamp_recorded;
    return m_records[cell.read_lanes + byte];
}

namespace {

void note_read(Record& record, const Access& now, const Clocks& clocks) {
    Access& last = record.last_read;
    Access& first = record.first_read;
    if (last.valid && last.block != now.block) {
        for (const Access* read : {&first, &last}) {
            if (read->valid)
                (read->atomic ? record.other_atomic_reader : record.other_reader) = last.block + 1;
        }
        last.valid = first.valid = false;
    }
    const auto same_warp = [&](Access& held) {
        // Several lanes of a warp read between two syncs.
        const bool again = held.valid && held.warp == now.warp;
        if (!again) return false;
        const std::uint32_t open = clocks.open_lanes(held, now);
        const bool had_plain = !held.atomic && clocks.warp[now.warp].synced < held.time;
        held = now;
        held.atomic = now.atomic && !had_plain;
        held.lane_mask |= open;
        if (open != 0) held.lane = several;
        return true;
    };
    if (same_warp(last) || same_warp(first)) return;
    if (last.valid && !clocks.is_ordered(last, now)) first = last;
    last = now;
}

}  // namespace

Access note(Record& record, const Access& access, AccessKind kind, bool equal, const Clocks& clocks) {
    const bool reads = kind == AccessKind::read || kind == AccessKind::atomic_read;
    const bool is_atomic = kind == AccessKind::atomic || kind == AccessKind::atomic_read;
    Access now = access;
    now.atomic = is_atomic;
    // A word that nobody has touched before, as most of an image's.
    if (!record.write.valid && !record.last_read.valid && record.other_reader == 0 &&
        record.other_atomic_reader == 0) {
        (reads ? record.last_read : record.write) = now;
        return {};
    }
    Access race;
    const Access before = record.write;
    if (before.valid && !clocks.is_ordered(before, now)) {
        const bool both_atomic = before.atomic && is_atomic;
        const bool same_instruction = kind == AccessKind::write && !before.atomic && before.time == now.time;
        if (!both_atomic && !(same_instruction && equal)) race = before;
    }
    if (reads) {
        note_read(record, now, clocks);
        return race;
    }
    // Of one's own read in the same instruction there is none.
    for (const Access* read : {&record.first_read, &record.last_read}) {
        if (!race.valid && read->valid && !(read->atomic && is_atomic) && !clocks.is_ordered(*read, now))
            race = *read;
    }
    for (const std::uint32_t reader : {record.other_reader, is_atomic ? 0 : record.other_atomic_reader}) {
        if (race.valid || reader == 0 || reader == now.block + 1) continue;
        race = now;
        race.block = reader - 1;
        race.lane = several;
    }
    record.write = now;
    if (record.write.atomic && before.valid && before.atomic && !clocks.is_ordered(before, now)) {
        // Atomics of several: whoever comes next is held against all of them that are not ordered with this.
        if (before.block != now.block) {
            record.write.block = several_blocks;
        } else if (before.warp == now.warp) {
            record.write.lane_mask |= clocks.open_lanes(before, now);
        } else {
            record.write.lane_mask |= before.lane_mask;
            record.write.warp_mask |=
                before.warp == several ? clocks.open_warps(before, now) : before.warp_mask;
        }
        if (std::popcount(record.write.warp_mask) > 1 || before.block != now.block)
            record.write.warp = several;
        if (std::popcount(record.write.lane_mask) > 1 || record.write.warp == several)
            record.write.lane = several;
    }
    return race;
}

}  // namespace workbench::ptx
