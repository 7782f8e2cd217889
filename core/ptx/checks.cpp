// SPDX-License-Identifier: MIT
// What is checked and counted of each access to memory.
#include <algorithm>
#include <cstring>

#include "core/ptx/machine.h"

namespace workbench::ptx {

// Whether the bytes that a lane reaches were written, one for each; null where all are.
std::uint8_t* Machine::written(Warp& warp, unsigned lane, const Reach& at) {
    switch (at.space_of(lane)) {
        case Space::shared:
            return m_shared_written.data() + at.address[lane];
        case Space::local:
            return warp.local_written.data() + std::size_t{lane} * warp.local_bytes + at.address[lane];
        case Space::global: {
            Allocation& allocation = *at.allocation_of(lane);
            return allocation.tracks_writing()
                       ? allocation.written.data() + (at.address[lane] - allocation.begin)
                       : nullptr;
        }
        default:
            return nullptr;
    }
}

void Machine::check_read(Warp& warp, const Instruction& i, unsigned lane, const Reach& at, unsigned bytes) {
    const std::uint8_t* const bytes_written = written(warp, lane, at);
    if (bytes_written == nullptr) return;
    if (bytes == 4) {
        std::uint32_t four = 0;
        std::memcpy(&four, bytes_written, 4);
        if (four == 0x01010101U) return;
    }
    if (std::all_of(bytes_written, bytes_written + bytes, [](std::uint8_t byte) { return byte != 0; }))
        return;
    if (m_outcome.findings.size() >= most_findings) {
        ++m_outcome.findings_total;
        return;
    }
    report(FindingKind::uninitialised, warp, lane, i,
           "reads " + std::string(name_of(at.space_of(lane))) + " memory that nobody has written",
           at.space_of(lane), at.address[lane]);
}

void Machine::mark_written(Warp& warp, unsigned lane, const Reach& at, unsigned bytes) {
    if (std::uint8_t* const bytes_written = written(warp, lane, at)) std::memset(bytes_written, 1, bytes);
}

Machine::Watch Machine::watch(const Warp& warp, const Reach& at, unsigned bytes) {
    Watch made;
    if (!at.is_one || bytes % 4 != 0 || (at.space != Space::shared && at.space != Space::global)) return made;
    const Clocks::WarpClock& clock = m_clocks->warp[warp.index];
    if (!clock.uniform) return made;
    const bool shared = at.space == Space::shared;
    const std::uint64_t block_begin = last_stamp(m_clocks->begin);
    made.is_simple = true;
    made.base = shared ? 0 : at.allocation->begin;
    made.written = shared                            ? m_shared_written.data()
                   : at.allocation->tracks_writing() ? at.allocation->written.data()
                                                     : nullptr;
    made.pages = shared ? &m_shared_shadow : &at.allocation->shadow;
    made.free = &m_memory.free_pages();
    made.now = {.stamp = m_clocks->time << 16U | std::uint64_t{warp.index} << 8U,
                .forgotten = shared ? block_begin : m_forgotten,
                .block_begin = block_begin,
                .synced = last_stamp(clock.synced),
                .sees = m_clocks->sees.data() + std::size_t{warp.index} * m_clocks->warps,
                .block = m_block,
                .warp = static_cast<std::uint8_t>(warp.index)};
    return made;
}

inline ShadowCell& Machine::Watch::cell(std::uint64_t word) {
    if (word / shadow_page_words != page_number) {
        page_number = word / shadow_page_words;
        page = &pages->page(page_number, *free);
    }
    return (*page)[word % shadow_page_words];
}

inline bool Machine::Watch::is_written(std::uint64_t offset, unsigned bytes) const {
    if (written == nullptr) return true;
    std::uint32_t all = 0x01010101U;
    for (unsigned k = 0; k < bytes; k += 4) {
        std::uint32_t four = 0;
        std::memcpy(&four, written + offset + k, 4);
        all &= four;
    }
    return all == 0x01010101U;
}

void Machine::check_loads(Warp& warp, const Instruction& i, const Reach& at, unsigned bytes) {
    const bool is_atomic = (i.flags & flag_atomic) != 0;
    Watch watched = is_atomic ? Watch{} : watch(warp, at, bytes);
    if (!watched.is_simple) {
        for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1) {
            const unsigned lane = first_lane(rest);
            check_read(warp, i, lane, at, bytes);
            check_race(warp, i, lane, at, bytes, is_atomic ? AccessKind::atomic_read : AccessKind::read,
                       nullptr);
        }
        return;
    }
    const Moment now = watched.now;
    const bool all_written =
        at.is_contiguous(bytes) && watched.is_written(at.address[0] - watched.base, bytes * lanes);
    for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        const std::uint64_t offset = at.address[lane] - watched.base;
        if (!all_written && !watched.is_written(offset, bytes)) check_read(warp, i, lane, at, bytes);
        bool is_noted = note_read(watched.cell(offset / 4), now, lane);
        for (unsigned k = 4; k < bytes && is_noted; k += 4)
            is_noted = note_read(watched.cell((offset + k) / 4), now, lane);
        if (!is_noted) check_race(warp, i, lane, at, bytes, AccessKind::read, nullptr);
    }
}

void Machine::store_watched(Warp& warp, const Instruction& i, const Reach& at, const Word* frame,
                            unsigned bytes, Watch& watched) {
    const Moment now = watched.now;
    for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        const std::uint64_t value = read_lane(frame, i.d, bytes, lane);
        const std::uint64_t offset = at.address[lane] - watched.base;
        bool is_noted = note_write(watched.cell(offset / 4), now, lane);
        if (bytes == 8 && is_noted) is_noted = note_write(watched.cell(offset / 4 + 1), now, lane);
        if (!is_noted)
            check_race(warp, i, lane, at, bytes, AccessKind::write,
                       reinterpret_cast<const std::byte*>(&value));
        if (bytes == 4) {
            std::memcpy(at.host[lane], &value, 4);
            if (watched.written != nullptr) std::memset(watched.written + offset, 1, 4);
        } else {
            std::memcpy(at.host[lane], &value, 8);
            if (watched.written != nullptr) std::memset(watched.written + offset, 1, 8);
        }
    }
}

void Machine::check_store(Warp& warp, const Instruction& i, unsigned lane, const Reach& at, unsigned bytes,
                          const std::byte* value, Watch& watched) {
    if (!watched.is_simple) {
        const bool is_atomic = (i.flags & flag_atomic) != 0;
        check_race(warp, i, lane, at, bytes, is_atomic ? AccessKind::atomic : AccessKind::write, value);
        mark_written(warp, lane, at, bytes);
        return;
    }
    const std::uint64_t offset = at.address[lane] - watched.base;
    bool is_noted = true;
    for (unsigned k = 0; k < bytes && is_noted; k += 4)
        is_noted = note_write(watched.cell((offset + k) / 4), watched.now, lane);
    if (!is_noted) check_race(warp, i, lane, at, bytes, AccessKind::write, value);
    if (watched.written != nullptr) {
        for (unsigned k = 0; k < bytes; k += 4) std::memset(watched.written + offset + k, 1, 4);
    }
}

void Machine::check_race(Warp& warp, const Instruction& i, unsigned lane, const Reach& at, unsigned bytes,
                         AccessKind kind, const std::byte* value) {
    const Space space = at.space_of(lane);
    if (space != Space::shared && space != Space::global) return;
    const bool shared = space == Space::shared;
    ShadowPages& pages = shared ? m_shared_shadow : at.allocation_of(lane)->shadow;
    const std::uint64_t base = shared ? 0 : at.allocation_of(lane)->begin;
    const std::uint64_t forgotten = shared ? last_stamp(m_clocks->begin) : m_forgotten;
    const Access now{.time = m_clocks->time,
                     .block = m_block,
                     .lane_mask = lane_bit(lane),
                     .warp_mask = 1U << warp.index,
                     .warp = static_cast<std::uint8_t>(warp.index),
                     .lane = static_cast<std::uint8_t>(lane),
                     .valid = true,
                     .atomic = false};
    std::uint64_t offset = at.address[lane] - base;
    const std::uint64_t end = offset + bytes;
    bool equal = false;
    bool compared = false;
    const auto races = [&](Record& record) {
        if (kind == AccessKind::write && record.write.time == now.time && !compared) {
            equal = std::memcmp(at.host[lane], value, bytes) == 0;
            compared = true;
        }
        const Access race = note(record, now, kind, equal, *m_clocks);
        if (!race.valid) return false;
        report_race(warp, lane, i, race, kind, space, at.address[lane]);
        return true;
    };
    while (offset < end) {
        const auto count = static_cast<unsigned>(std::min<std::uint64_t>(end - offset, 4 - offset % 4));
        const std::uint64_t word = offset / 4;
        ShadowCell& cell =
            pages.page(word / shadow_page_words, m_memory.free_pages())[word % shadow_page_words];
        if (std::max(cell.write, cell.read) <= forgotten) cell = {};
        if (count == 4 && !ShadowPages::is_split(cell)) {
            Record record = pages.record_of(cell);
            const bool has_raced = races(record);
            pages.keep(cell, record, now);
            if (has_raced) return;
        } else {
            for (unsigned k = 0; k < count; ++k) {
                if (races(pages.byte_of(cell, static_cast<unsigned>(offset % 4) + k, now))) return;
            }
        }
        offset += count;
    }
}

void Machine::count(const Reach& at, unsigned bytes, bool stores) {
    if (at.mask == 0) return;
    std::uint32_t global = 0;
    if (at.is_one) {
        if (at.space == Space::shared) return count_shared(at, bytes);
        if (at.space != Space::global) return;
        global = at.mask;
    } else {
        bool shared = false;
        for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1) {
            const unsigned lane = first_lane(rest);
            if (at.spaces[lane] == Space::global) global |= lane_bit(lane);
            shared = shared || at.spaces[lane] == Space::shared;
        }
        if (shared) count_shared(at, bytes);
    }
    if (global == 0) return;
    GlobalTraffic& traffic = stores ? m_counts.global_stores : m_counts.global_loads;
    ++traffic.requests;
    if (at.is_contiguous(bytes)) {
        Allocation& allocation = *at.allocation;
        const std::uint64_t origin = allocation.begin / sector_bytes;
        const std::uint64_t first = at.address[0] / sector_bytes - origin;
        const std::uint64_t end = (at.address[lanes - 1] + bytes - 1) / sector_bytes - origin;
        traffic.sectors += end - first + 1;
        traffic.distinct +=
            (stores ? allocation.stored : allocation.loaded).add(first, end, allocation.sectors());
        return;
    }
    std::array<std::uint64_t, 2 * lanes> seen;
    std::size_t count_seen = 0;
    std::uint64_t last = ~0ULL;
    for (std::uint32_t rest = global; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        const std::uint64_t end = (at.address[lane] + bytes - 1) / sector_bytes;
        for (std::uint64_t sector = at.address[lane] / sector_bytes; sector <= end; ++sector) {
            if (sector == last) continue;
            last = sector;
            const auto seen_end = seen.begin() + static_cast<std::ptrdiff_t>(count_seen);
            if (std::find(seen.begin(), seen_end, sector) != seen_end) continue;
            seen[count_seen++] = sector;
            Allocation& allocation = *at.allocation_of(lane);
            const std::uint64_t from = sector - allocation.begin / sector_bytes;
            traffic.distinct +=
                (stores ? allocation.stored : allocation.loaded).add(from, from, allocation.sectors());
        }
    }
    traffic.sectors += count_seen;
}

// Whether lanes that reach words of 4 bytes or less reach at most one word of each bank.
static bool is_one_wavefront(const std::array<std::uint64_t, lanes>& addresses, std::uint32_t mask) {
    std::array<std::uint64_t, lanes> words;  // of each bank that is used
    std::uint32_t used = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t word = addresses[first_lane(rest)] / 4;
        const auto bank = static_cast<unsigned>(word % lanes);
        if ((used & lane_bit(bank)) != 0 && words[bank] != word) return false;
        used |= lane_bit(bank);
        words[bank] = word;
    }
    return true;
}

// A wavefront serves each of 32 banks of 4 bytes once; lanes that reach the same word share it. Accesses of 8
// bytes are made in two halves of the warp, those of 16 in four quarters.
void Machine::count_shared(const Reach& at, unsigned bytes) {
    ++m_counts.shared_requests;
    const bool is_apart = at.is_strided && bytes == 4 && at.stride / 4 % 2 == 1;  // a bank for each
    if (is_apart || (at.is_one && bytes <= 4 && is_one_wavefront(at.address, at.mask))) {
        ++m_counts.shared_wavefronts;
        return;
    }
    const unsigned parts = bytes <= 4 ? 1 : bytes / 4;
    const unsigned part_lanes = lanes / parts;
    std::uint64_t wavefronts = 0;
    for (unsigned part = 0; part < parts; ++part) {
        std::array<std::array<std::uint32_t, lanes>, lanes> words;  // of each bank
        std::array<std::uint8_t, lanes> depth{};
        unsigned most = 0;
        for (unsigned lane = part * part_lanes; lane < (part + 1) * part_lanes; ++lane) {
            if ((at.mask & lane_bit(lane)) == 0 || at.space_of(lane) != Space::shared) continue;
            const std::uint64_t end = (at.address[lane] + bytes - 1) / 4;
            for (std::uint64_t word = at.address[lane] / 4; word <= end; ++word) {
                const std::size_t bank = word % lanes;
                auto& held = words[bank];
                const auto held_end = held.begin() + depth[bank];
                if (std::find(held.begin(), held_end, static_cast<std::uint32_t>(word)) != held_end) continue;
                held[depth[bank]++] = static_cast<std::uint32_t>(word);
                most = std::max<unsigned>(most, depth[bank]);
            }
        }
        wavefronts += most;
    }
    m_counts.shared_wavefronts += wavefronts;
}

}  // namespace workbench::ptx
