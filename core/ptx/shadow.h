// SPDX-License-Identifier: MIT
// What is remembered of the last accesses to each word of memory, to find races. An access is remembered by
// block, warp and lane and by two clocks: the block's tick, which barriers move on, and the warp's epoch,
// which bar.warp.sync and barriers move on. Words that are accessed in parts are remembered byte by byte.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/ptx/types.h"

namespace workbench::ptx {

constexpr std::uint8_t several = 0xff;  // lanes, or warps
constexpr std::uint32_t several_blocks = 0xffffffffU;

struct Access {
    std::uint32_t block = 0;
    std::uint32_t tick = 0;
    std::uint32_t epoch = 0;
    std::uint32_t lane_mask = 0;  // lanes, of whichever warps
    std::uint32_t warp_mask = 0;
    std::uint8_t warp = 0;
    std::uint8_t lane = 0;
    bool valid = false;
    bool atomic = false;
};

struct ShadowCell {
    Access write;
    Access first_read;  // two readers that are not ordered, where there are two
    Access last_read;
    std::uint64_t write_serial = 0;  // of the instruction
    std::uint32_t other_reader = 0;  // a block that has read and is over, plus 1
    std::uint32_t split = 0;         // index of the bytes' own cells, plus 1
};

// When lanes of a block are ordered, as barriers have made it.
struct Clocks {
    explicit Clocks(std::uint32_t warps);

    std::uint32_t tick = 1;
    // sees[w * warps + v]: the last tick of v whose accesses are all before what w does now.
    std::vector<std::uint32_t> sees;
    std::uint32_t warps = 0;

    struct WarpClock {
        std::uint32_t epoch = 1;
        bool uniform = true;  // all lanes have met in each sync so far
        // Where they have not: met[i][j], the epoch of j that i has seen the end of.
        std::unique_ptr<std::array<std::array<std::uint32_t, lanes>, lanes>> met;
    };
    std::vector<WarpClock> warp;

    // The lanes of a mask have met; `live` are all that are still there.
    void warp_sync(std::uint32_t warp, std::uint32_t mask, std::uint32_t live);
    // A warp arrives at a barrier and goes on: what it has done so far is added to what the barrier has seen.
    void arrive(std::uint32_t warp, std::vector<std::uint32_t>& seen);
    // Warps have met at a barrier, at which others have arrived.
    void barrier(const std::vector<std::uint32_t>& participants, const std::vector<std::uint32_t>& seen);
    // Of an access by several lanes or warps of a block, those that it is not ordered with.
    std::uint32_t open_lanes(const Access& before, const Access& now) const;
    std::uint32_t open_warps(const Access& before, const Access& now) const;
    // Whether an access came before what a lane does now.
    bool is_ordered(const Access& before, const Access& now) const;
};

class ShadowPages {
  public:
    void reset();
    // The cell of the word in which a byte lies. It stands for the word while it is not split, as when all
    // accesses were of the whole word.
    ShadowCell& word(std::uint64_t offset) {
        const std::uint64_t page = offset / 4 / page_words;
        if (page >= m_pages.size() || m_pages[page] == nullptr) add(page);
        return (*m_pages[page])[offset / 4 % page_words];
    }
    // The cells of its four bytes: splits it where it is not.
    ShadowCell* parts_of(ShadowCell& cell);

  private:
    static constexpr std::uint64_t page_words = 512;
    void add(std::uint64_t page);
    std::vector<std::unique_ptr<std::array<ShadowCell, page_words>>> m_pages;
    std::vector<std::unique_ptr<std::array<ShadowCell, 4>>> m_split;
};

enum class AccessKind : std::uint8_t { read, write, atomic };

// Notes an access and returns the earlier one that it races with; an access that is not valid where there is
// none. `equal` says that the bytes hold what is written already.
Access note(ShadowCell& cell, const Access& now, AccessKind kind, std::uint64_t serial, bool equal,
            const Clocks& clocks);

}  // namespace workbench::ptx
