// SPDX-License-Identifier: MIT
// The race check remembers most words in short cells and takes records for the rest. Random accesses of
// lanes, warps, blocks and launches race in it exactly where they do with a record of each byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "core/ptx/shadow.h"

namespace workbench::ptx {
namespace {

constexpr std::uint32_t warps = 3;
constexpr unsigned words = 48;

class ShadowCells : public ::testing::Test {
  protected:
    unsigned below(unsigned count) { return static_cast<unsigned>(m_random() % count); }
    bool one_in(unsigned count) { return below(count) == 0; }

    void begin_launch() {
        m_pages.reset(m_free);
        m_forgotten = last_stamp(m_time++);
        m_records = {};
        begin_block(0);
    }
    void begin_block(std::uint32_t block) {
        m_block = block;
        m_clocks.emplace(warps, m_time);
    }
    Access access_of(std::uint32_t warp, unsigned lane) const {
        return {.time = m_time,
                .block = m_block,
                .lane_mask = 1U << lane,
                .warp_mask = 1U << warp,
                .warp = static_cast<std::uint8_t>(warp),
                .lane = static_cast<std::uint8_t>(lane),
                .valid = true,
                .atomic = false};
    }

    // What is remembered byte by byte says, which is short of nothing.
    Access by_records(unsigned word, unsigned first, unsigned count, const Access& now, AccessKind kind,
                      bool equal) {
        Access race;
        for (unsigned k = first; k < first + count; ++k) {
            const Access one = note(m_records[word][k], now, kind, equal, *m_clocks);
            if (!race.valid) race = one;
        }
        return race;
    }

    // What the cells say, as launches ask them.
    Access by_cells(unsigned word, unsigned first, unsigned count, const Access& now, AccessKind kind,
                    bool equal) {
        ShadowCell& cell = m_pages.page(0, m_free)[word];
        const Clocks::WarpClock& clock = m_clocks->warp[now.warp];
        if (count == 4 && (kind == AccessKind::read || kind == AccessKind::write) && clock.uniform) {
            const Moment moment{.stamp = m_time << 16U | std::uint64_t{now.warp} << 8U,
                                .forgotten = m_forgotten,
                                .block_begin = last_stamp(m_clocks->begin),
                                .synced = last_stamp(clock.synced),
                                .sees = m_clocks->sees.data() + std::size_t{now.warp} * warps,
                                .block = m_block,
                                .warp = now.warp};
            const bool is_noted = kind == AccessKind::read ? note_read(cell, moment, now.lane)
                                                           : note_write(cell, moment, now.lane);
            m_short += is_noted ? 1 : 0;
            if (is_noted) return {};
        }
        if (std::max(cell.write, cell.read) <= m_forgotten) cell = {};
        if (count == 4 && !ShadowPages::is_split(cell)) {
            Record record = m_pages.record_of(cell);
            const Access race = note(record, now, kind, equal, *m_clocks);
            m_pages.keep(cell, record, now);
            return race;
        }
        Access race;
        for (unsigned k = first; k < first + count; ++k) {
            const Access one = note(m_pages.byte_of(cell, k, now), now, kind, equal, *m_clocks);
            if (!race.valid) race = one;
        }
        return race;
    }

    void access(std::uint32_t warp, unsigned lane, AccessKind kind) {
        // Mostly a lane's own word, now and then its neighbour's or anybody's.
        unsigned word = warp * 16 + lane % 16;
        if (one_in(8)) word = warp * 16 + (lane + 1) % 16;
        if (one_in(12)) word = below(words);
        const bool is_part = one_in(40);
        const unsigned first = is_part ? below(3) : 0;
        const unsigned count = is_part ? 1 + below(2) : 4;
        const bool equal = one_in(2);
        const Access now = access_of(warp, lane);
        const Access expected = by_records(word, first, count, now, kind, equal);
        const Access got = by_cells(word, first, count, now, kind, equal);
        ++m_accesses;
        ASSERT_EQ(expected.valid, got.valid) << "access " << m_accesses;
        if (!expected.valid) return;
        ++m_races;
        EXPECT_EQ(expected.block, got.block);
        EXPECT_EQ(expected.warp, got.warp);
        EXPECT_EQ(expected.lane, got.lane);
        // What comes after a race is another story.
        m_records[word] = {};
        m_pages.page(0, m_free)[word] = {};
    }

    void step() {
        const std::uint32_t warp = below(warps);
        const unsigned kind = below(100);
        if (kind < 4) {
            m_clocks->warp_sync(warp, 0xffffffffU, 0xffffffffU);
        } else if (kind < 5) {
            m_clocks->warp_sync(warp, 0x0f0fU << below(16), 0xffffffffU);
        } else if (kind < 30) {
            m_clocks->barrier({0, 1, 2}, {});
        } else if (kind < 31) {
            m_clocks->barrier({0, warp == 0 ? 2 : warp}, {});
        } else if (kind < 33) {
            begin_block(m_block + 1);
        } else if (kind < 34) {
            begin_launch();
        } else {
            const AccessKind does = kind < 70   ? AccessKind::read
                                    : kind < 94 ? AccessKind::write
                                    : kind < 97 ? AccessKind::atomic
                                                : AccessKind::atomic_read;
            if (does == AccessKind::write) ++m_time;
            const unsigned from = below(32);
            for (unsigned lane = from; lane < std::min(32U, from + 6); ++lane)
                ASSERT_NO_FATAL_FAILURE(access(warp, lane, does));
        }
    }

    std::mt19937 m_random{7};
    std::uint64_t m_time = 1;
    std::uint64_t m_forgotten = 0;
    std::uint32_t m_block = 0;
    std::optional<Clocks> m_clocks;
    FreePages m_free;
    ShadowPages m_pages;
    std::array<std::array<Record, 4>, words> m_records;
    std::uint64_t m_accesses = 0;
    std::uint64_t m_races = 0;
    std::uint64_t m_short = 0;
};

TEST_F(ShadowCells, RaceWhereRecordsOfEachByteDo) {
    begin_launch();
    for (int k = 0; k < 60'000; ++k) ASSERT_NO_FATAL_FAILURE(step());
    // Races, what is none, and most of it without a record.
    EXPECT_GT(m_races, m_accesses / 50);
    EXPECT_LT(m_races, m_accesses / 4);
    EXPECT_GT(m_short, m_accesses / 2);
}

}  // namespace
}  // namespace workbench::ptx
