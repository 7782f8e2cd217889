// SPDX-License-Identifier: MIT
// A launch while it runs: its blocks one after the other, a block's warps in turns, a warp's lanes in groups
// that are at one address each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/ptx/code.h"
#include "core/ptx/memory.h"
#include "core/ptx/ptx.h"
#include "core/ptx/shadow.h"

namespace workbench::ptx {

// A call of a function that lanes of a warp are in: its registers, parameters and place on the stack of local
// memory.
struct Activation {
    std::uint32_t function = 0;
    Word* frame = nullptr;
    std::unique_ptr<std::byte[]> storage;  // of the frame
    std::vector<std::byte> parameters;     // of every lane, one after the other
    Activation* parent = nullptr;
    std::uint32_t return_to = 0;
    std::uint32_t call = 0;  // the site
    std::uint32_t local_base = 0;
    std::uint32_t depth = 0;
    std::uint32_t lanes_in = 0;  // and in what they call
};

enum class Wait : std::uint8_t {
    no,
    others,   // for lanes of the warp to come to the same instruction
    barrier,  // has arrived
    sync,     // has arrived at bar.warp.sync
};

struct Group {
    std::uint32_t address = 0;
    std::uint32_t mask = 0;
    Activation* in = nullptr;
    Wait wait = Wait::no;
    std::uint32_t barrier = 0;
    std::uint32_t sync_mask = 0;
};

struct Warp {
    std::uint32_t index = 0;
    std::uint32_t present = 0;  // lanes that were there at the beginning
    std::uint32_t left = 0;     // of them, those that have gone
    std::vector<Group> groups;
    std::vector<std::unique_ptr<Activation>> activations;
    std::uint32_t local_bytes = 0;  // of a lane
    std::vector<std::byte> local;
    std::vector<std::uint8_t> local_written;
    std::uint32_t live() const { return present & ~left; }
};

struct BlockBarrier {
    std::uint32_t arrived = 0;   // threads
    std::uint32_t expected = 0;  // 0: nobody has come yet
    bool any_set = false;
    bool all_set = true;
    std::uint32_t count_set = 0;
    std::vector<std::uint32_t> warps;  // that wait
    std::vector<std::uint64_t> seen;   // what those that only arrived had behind them, by warp
};

// Ends a launch at once: nothing that comes after it means anything.
struct Stop {};
// Ends it because the caller asked.
struct Cancelled {};

class Machine {
  public:
    Machine(const Program& program, const Function& entry, const Launch& launch, MemoryState& memory);
    Outcome run();

  private:
    // launch.cpp
    void run_block(std::uint64_t index);
    void begin_warp(Warp& warp);
    std::unique_ptr<Activation> make_activation(Warp& warp, std::uint32_t function, Activation* parent,
                                                const Instruction& at);
    // Makes parameters and local variables of lanes those of a call that has just begun.
    void clear_activation(Warp& warp, Activation& activation, std::uint32_t mask);
    // Holds more memory, or ends the launch where it is too much.
    void hold(const Warp& warp, const Instruction& at, std::uint64_t bytes);
    // Takes the time that so many bytes cost from the budget.
    void take_time(std::uint64_t bytes);
    void fill_specials(const Warp& warp, Activation& activation);
    void fill_constants(Activation& activation, bool all);
    void free_activation(Warp& warp, Activation* activation);
    void reserve_local(Warp& warp, std::uint32_t bytes, const Instruction& at);
    std::uint64_t random();
    std::vector<std::uint64_t> order(std::uint64_t count);

    // warp.cpp
    enum class Turn : std::uint8_t { over, waits, goes_on };
    Turn run_warp(Warp& warp);
    std::size_t choose_group(const Warp& warp);
    void run_group(Warp& warp, std::size_t which, std::uint64_t& turn);
    bool must_stop(const Warp& warp, const Group& group) const;
    // Joins lanes at the same address to a group; returns where it is now.
    std::size_t join_groups(Warp& warp, std::size_t which);
    // Moves lanes of a group to a group of their own at another address. The reference may be gone
    // afterwards.
    void split(Warp& warp, Group& group, std::uint32_t mask, std::uint32_t address);
    void leave(Warp& warp, Group& group, std::uint32_t mask);
    void call(Warp& warp, Group& group, const Instruction& instruction, std::uint32_t mask);
    void ret(Warp& warp, Group& group, std::uint32_t mask);
    void branch_indexed(Warp& warp, Group& group, const Instruction& instruction, std::uint32_t mask);
    void remove_empty(Warp& warp);

    // access.cpp
    // Where the lanes of a memory instruction reach. Lanes that reach nobody's memory are reported and not in
    // the mask.
    struct Reach {
        std::array<std::uint64_t, lanes> address;  // in the lane's space
        std::array<std::byte*, lanes> host;
        std::array<Space, lanes> spaces;
        std::array<Allocation*, lanes> allocations;
        std::uint32_t mask = 0;
        bool is_one = false;      // all lanes in `space` and, in global memory, in `allocation`
        bool is_strided = false;  // all 32, each `stride` bytes behind the one before
        std::uint64_t stride = 0;
        Space space = Space::global;
        Allocation* allocation = nullptr;
        Space space_of(unsigned lane) const { return is_one ? space : spaces[lane]; }
        Allocation* allocation_of(unsigned lane) const { return is_one ? allocation : allocations[lane]; }
        // Returns whether the lanes reach `bytes` each, one behind the other.
        bool is_contiguous(unsigned bytes) const { return is_strided && stride == bytes; }
    };
    void reach(Warp& warp, const Group& group, const Instruction& instruction, std::uint32_t mask,
               unsigned bytes, Reach& made);
    bool reach_together(const Instruction& instruction, std::uint32_t mask, unsigned bytes, Reach& made);
    bool reach_parameter(std::uint32_t mask, unsigned bytes, Reach& made);
    bool reach_alone(Warp& warp, const Group& group, const Instruction& instruction, unsigned lane,
                     unsigned bytes, Reach& made);
    void load(Warp& warp, const Group& group, const Instruction& instruction, std::uint32_t mask);
    void store(Warp& warp, const Group& group, const Instruction& instruction, std::uint32_t mask);
    void load_parameter(Warp& warp, const Group& group, const Instruction& instruction, std::uint32_t mask);
    bool in_shared(std::uint64_t offset, unsigned bytes);
    bool in_parameter(std::uint64_t offset, unsigned bytes);
    bool in_local(const Group& group, std::uint64_t offset, unsigned bytes) const;

    // checks.cpp
    std::uint8_t* written(Warp& warp, unsigned lane, const Reach& reach);
    void check_read(Warp& warp, const Instruction& instruction, unsigned lane, const Reach& reach,
                    unsigned bytes);
    void mark_written(Warp& warp, unsigned lane, const Reach& reach, unsigned bytes);
    // A warp's request for memory that all its lanes reach in one place, in whole words: what they share.
    struct Watch {
        bool is_simple = false;  // else lanes are checked one by one
        std::uint64_t base = 0;
        std::uint8_t* written = nullptr;  // of each byte; null where all hold values
        ShadowPages* pages = nullptr;
        FreePages* free = nullptr;
        Moment now;
        std::uint64_t page_number = ~0ULL;  // the last one's
        ShadowPage* page = nullptr;

        ShadowCell& cell(std::uint64_t word);
        bool is_written(std::uint64_t offset, unsigned bytes) const;
    };
    Watch watch(const Warp& warp, const Reach& reach, unsigned bytes);
    void check_loads(Warp& warp, const Instruction& instruction, const Reach& reach, unsigned bytes);
    // Checks and makes stores of one register each, of 4 or 8 bytes, that are watched.
    void store_watched(Warp& warp, const Instruction& instruction, const Reach& reach, const Word* frame,
                       unsigned bytes, Watch& watch);
    void check_store(Warp& warp, const Instruction& instruction, unsigned lane, const Reach& reach,
                     unsigned bytes, const std::byte* value, Watch& watch);
    // Notes a lane's access; says so where it races.
    void check_race(Warp& warp, const Instruction& instruction, unsigned lane, const Reach& reach,
                    unsigned bytes, AccessKind kind, const std::byte* value);
    void count(const Reach& reach, unsigned bytes, bool stores);
    void count_shared(const Reach& reach, unsigned bytes);

    // atomics.cpp
    void atomic(Warp& warp, const Group& group, const Instruction& instruction, std::uint32_t mask);

    // collectives.cpp. Each returns the lanes that have gone through; the rest wait.
    std::uint32_t ready_lanes(Warp& warp, const Group& group, const Instruction& instruction,
                              std::uint32_t mask, std::uint32_t place);
    std::uint32_t collective(Warp& warp, const Group& group, const Instruction& instruction,
                             std::uint32_t mask);
    void shuffle(Warp& warp, const Group& group, const Instruction& instruction, std::uint32_t mask);
    void vote(const Group& group, const Instruction& instruction, std::uint32_t mask,
              std::uint32_t members) const;
    void match(const Group& group, const Instruction& instruction, std::uint32_t members) const;
    void reduce(const Group& group, const Instruction& instruction, std::uint32_t members) const;

    // barriers.cpp
    void barrier(Warp& warp, Group& group, const Instruction& instruction, std::uint32_t mask);
    void complete_barrier(std::uint32_t id);
    // Arrives at bar.warp.sync; true where the group goes on.
    void warp_sync(Warp& warp, std::size_t which, const Instruction& instruction, std::uint32_t mask);
    void report_stall();

    // findings.cpp
    void report(FindingKind kind, const Warp& warp, unsigned lane, const Instruction& instruction,
                const std::string& what, Space space = Space::generic, std::uint64_t address = 0);
    void report_race(const Warp& warp, unsigned lane, const Instruction& instruction, const Access& other,
                     AccessKind kind, Space space, std::uint64_t address);
    [[noreturn]] void stop(FindingKind kind, const Warp& warp, unsigned lane, const Instruction& instruction,
                           const std::string& what);
    std::uint32_t line_of(std::uint32_t address) const { return m_program.code[address].line; }
    std::array<std::uint32_t, 3> thread_of(std::uint32_t warp, unsigned lane) const;

    const Program& m_program;
    const Function& m_entry;
    const Launch& m_launch;
    MemoryState& m_memory;
    const std::vector<std::uint64_t>& m_variables;
    Outcome m_outcome;
    Counts& m_counts;
    bool m_all_checks = true;
    std::uint64_t m_executed = 0;
    std::uint64_t m_budget = 0;  // of instructions, less what setting up has cost
    std::uint64_t m_taken = 0;   // bytes that have cost no whole step yet
    std::uint64_t m_held = 0;    // bytes
    std::uint64_t m_random = 0;
    std::uint64_t m_forgotten = 0;  // stamps of global memory up to this one are of earlier launches
    std::vector<std::byte> m_constants;
    std::vector<std::byte> m_parameters;

    // The block that runs.
    std::uint32_t m_block = 0;
    std::array<std::uint32_t, 3> m_block_index{};
    std::uint32_t m_threads = 0;
    std::vector<Warp> m_warps;
    std::array<BlockBarrier, 16> m_barriers;
    std::unique_ptr<Clocks> m_clocks;
    std::vector<std::byte> m_shared;
    std::vector<std::uint8_t> m_shared_written;
    ShadowPages m_shared_shadow;
    std::vector<Extent> m_shared_extents;
    std::uint32_t m_entry_shared = 0;    // where the entry's own variables begin
    std::uint32_t m_dynamic_shared = 0;  // and the dynamic ones

    // Frames of activations that are over, by function.
    std::vector<std::vector<std::unique_ptr<Activation>>> m_free;
    Allocation* m_last_allocation = nullptr;
    Extent m_last_extent;
    Extent m_last_parameter;
};

// Returns the lowest lane of a mask.
inline unsigned first_lane(std::uint32_t mask) {
    return static_cast<unsigned>(__builtin_ctz(mask));
}
inline std::uint32_t lane_bit(unsigned lane) {
    return 1U << lane;
}
inline std::uint64_t read_lane(const Word* frame, std::uint32_t place, unsigned width, unsigned lane) {
    return width == 8 ? reinterpret_cast<const Wide*>(frame + place)[lane] : frame[place + lane];
}
inline void write_lane(Word* frame, std::uint32_t place, unsigned width, unsigned lane, std::uint64_t value) {
    if (width == 8)
        reinterpret_cast<Wide*>(frame + place)[lane] = value;
    else
        frame[place + lane] = static_cast<std::uint32_t>(width == 4 ? value : value & 0xffffU);
}

}  // namespace workbench::ptx
