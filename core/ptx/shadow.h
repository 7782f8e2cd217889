// SPDX-License-Identifier: MIT
// Records the last accesses to each word of memory, to find races. An access is recorded by block, warp, lane
// and time. Time is a number that every store, bar.warp.sync and barrier moves on, and that never goes back
// while a device's memory lives: what an earlier launch left is recognised by its time, and nothing is
// cleared between launches or blocks. Words that are accessed in parts are recorded byte by byte.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/ptx/types.h"

namespace workbench::ptx {

constexpr std::uint8_t several = 0xff;  // lanes, or warps
constexpr std::uint32_t several_blocks = 0xffffffffU;

struct Access {
    std::uint64_t time = 0;
    std::uint32_t block = 0;
    std::uint32_t lane_mask = 0;  // lanes, of whichever warps
    std::uint32_t warp_mask = 0;
    std::uint8_t warp = 0;
    std::uint8_t lane = 0;
    bool valid = false;
    bool atomic = false;
};

// Holds all that is recorded of a word, or of one of its bytes.
struct Record {
    Access write;
    Access first_read;  // two readers that are not ordered, where there are two
    Access last_read;
    std::uint32_t other_reader = 0;         // a block that has read and is over, plus 1
    std::uint32_t other_atomic_reader = 0;  // one whose reads were atomic
};

// An access in one number, which grows with time: 48 bits of time, 8 of the warp, and these.
constexpr std::uint64_t stamp_lane = 0x1f;
constexpr std::uint64_t stamp_several = 0x20;   // lanes, of which that is one
constexpr std::uint64_t stamp_atomic = 0x40;    // of a write
constexpr std::uint64_t stamp_recorded = 0x80;  // of a read: a Record has the rest
// Returns the greatest stamp of a time.
constexpr std::uint64_t last_stamp(std::uint64_t time) {
    return time << 16U | 0xffffU;
}

// The record of most words in 32 bytes: one writer, which is one lane, and one warp that has read.
struct ShadowCell {
    std::uint64_t write = 0;  // stamps; 0 where there was none
    std::uint64_t read = 0;
    std::uint32_t write_block = 0;
    std::uint32_t read_block = 0;
    std::uint32_t read_lanes = 0;    // with stamp_recorded: the first record's index
    std::uint32_t other_reader = 0;  // with stamp_recorded: 1 where each byte has a record
};

// A warp's access to memory at its time, as all its lanes make it.
struct Moment {
    std::uint64_t stamp = 0;         // with no lane
    std::uint64_t forgotten = 0;     // stamps up to this one count for nothing
    std::uint64_t block_begin = 0;   // up to this one, they are of other blocks
    std::uint64_t synced = 0;        // up to this one, the warp's own lanes are ordered
    const std::uint64_t* sees = {};  // by warps: times up to which they are ordered
    std::uint32_t block = 0;
    std::uint8_t warp = 0;

    bool is_of_warp(std::uint64_t access) const { return (access >> 8U & 0xffU) == warp; }
    // Returns whether what another warp of this block did comes before.
    bool follows(std::uint64_t access) const { return access >> 16U <= sees[access >> 8U & 0xffU]; }
    bool follows_write(std::uint64_t access, unsigned lane) const {
        if (access <= block_begin) return false;
        if (!is_of_warp(access)) return follows(access);
        return access <= synced || (access & stamp_lane) == lane;
    }
    bool follows_reads(const ShadowCell& cell, unsigned lane) const {
        if (cell.read <= block_begin) return false;
        if (!is_of_warp(cell.read)) return follows(cell.read);
        return cell.read <= synced || (cell.read_lanes & ~(1U << lane)) == 0;
    }
};

// Notes a lane's read of a whole word. False, with nothing changed, where it takes more than a cell to say
// whether there is a race, or to remember what there was.
inline bool note_read(ShadowCell& cell, const Moment& now, unsigned lane) {
    const std::uint64_t stamp = now.stamp | lane;
    const std::uint32_t bit = 1U << lane;
    if (std::max(cell.write, cell.read) <= now.forgotten) {
        cell = {.read = stamp, .read_block = now.block, .read_lanes = bit};
        return true;
    }
    if ((cell.read & stamp_recorded) != 0) return false;
    if (cell.write != 0 && !now.follows_write(cell.write, lane)) return false;
    if (cell.read != 0) {
        if (cell.read <= now.block_begin) {
            cell.other_reader = cell.read_block + 1;
        } else if (now.is_of_warp(cell.read)) {
            const std::uint32_t open = cell.read <= now.synced ? 0 : cell.read_lanes & ~bit;
            cell.read = stamp | (open != 0 ? stamp_several : 0);
            cell.read_lanes = bit | open;
            return true;
        } else if (!now.follows(cell.read)) {
            return false;
        }
    }
    cell.read = stamp;
    cell.read_block = now.block;
    cell.read_lanes = bit;
    return true;
}

// Returns the same of a lane's plain write.
inline bool note_write(ShadowCell& cell, const Moment& now, unsigned lane) {
    if (std::max(cell.write, cell.read) <= now.forgotten) {
        cell = {.write = now.stamp | lane, .write_block = now.block};
        return true;
    }
    if ((cell.read & stamp_recorded) != 0 || cell.other_reader != 0) return false;
    if (cell.write != 0 && !now.follows_write(cell.write, lane)) return false;
    if (cell.read != 0 && !now.follows_reads(cell, lane)) return false;
    cell.write = now.stamp | lane;
    cell.write_block = now.block;
    return true;
}

// Keeps the order that barriers have made among lanes of a block.
struct Clocks {
    // Begins a block at a time, which it advances.
    Clocks(std::uint32_t warps, std::uint64_t& time);

    std::uint64_t& time;
    std::uint64_t begin;
    // sees[w * warps + v]: the last time of v whose accesses are all before what w does now.
    std::vector<std::uint64_t> sees;
    std::uint32_t warps = 0;

    struct WarpClock {
        std::uint64_t synced = 0;  // when lanes of it have met last
        bool uniform = true;       // all lanes have met in each sync so far
        // Where they have not: met[i][j], the time of j that i has seen the end of.
        std::unique_ptr<std::array<std::array<std::uint64_t, lanes>, lanes>> met;
    };
    std::vector<WarpClock> warp;

    // Records that the lanes of a mask have met; `live` are all that are still there.
    void warp_sync(std::uint32_t warp, std::uint32_t mask, std::uint32_t live);
    // Records that a warp arrives at a barrier and goes on: what it has done so far is added to what the
    // barrier has seen.
    void arrive(std::uint32_t warp, std::vector<std::uint64_t>& seen);
    // Warps have met at a barrier, at which others have arrived.
    void barrier(const std::vector<std::uint32_t>& participants, const std::vector<std::uint64_t>& seen);
    // Return, of the lanes or warps of an earlier access by several, those that the access `now` is not
    // ordered with.
    std::uint32_t open_lanes(const Access& before, const Access& now) const;
    std::uint32_t open_warps(const Access& before, const Access& now) const;
    // Returns whether an access came before what a lane does now.
    bool is_ordered(const Access& before, const Access& now) const;
};

// Pages of cells, 2 KiB of memory each, that nobody uses.
constexpr std::uint64_t shadow_page_words = 512;
using ShadowPage = std::array<ShadowCell, shadow_page_words>;
using FreePages = std::vector<std::unique_ptr<ShadowPage>>;

class ShadowPages {
  public:
    // Forgets everything; the pages are others' now.
    void reset(FreePages& free);
    // Forgets records, which no cell may name that still counts.
    void forget_records() { m_records.clear(); }
    // Returns the page of a word of that number; takes one of those that are free.
    ShadowPage& page(std::uint64_t number, FreePages& free) {
        if (number >= m_pages.size() || m_pages[number] == nullptr) add(number, free);
        return *m_pages[number];
    }
    static bool is_split(const ShadowCell& cell) {
        return (cell.read & stamp_recorded) != 0 && cell.other_reader != 0;
    }
    // Returns what a cell that is not split remembers.
    Record record_of(const ShadowCell& cell) const;
    // Remembers it after `now`.
    void keep(ShadowCell& cell, const Record& record, const Access& now);
    // Returns the record of a byte of a word, which `now` reaches: splits the cell where it is not.
    Record& byte_of(ShadowCell& cell, unsigned byte, const Access& now);

  private:
    void add(std::uint64_t page, FreePages& free);
    std::vector<std::unique_ptr<ShadowPage>> m_pages;
    std::deque<Record> m_records;
};

enum class AccessKind : std::uint8_t { read, write, atomic, atomic_read };

// Notes an access and returns the earlier one that it races with; an access that is not valid where there is
// none. `equal` says that the bytes hold what is written already.
Access note(Record& record, const Access& now, AccessKind kind, bool equal, const Clocks& clocks);

}  // namespace workbench::ptx
