// SPDX-License-Identifier: MIT
// Barriers of blocks and of warps, and what it means when nobody can go on.
#include <algorithm>
#include <bit>

#include "core/ptx/machine.h"

namespace workbench::ptx {

void Machine::barrier(Warp& warp, Group& group, const Instruction& instruction, std::uint32_t mask) {
    const bool aligned = (instruction.flags & flag_aligned) != 0;
    Word* const frame = group.in->frame;
    const unsigned lane = first_lane(mask);
    if (aligned && (warp.left != 0))
        stop(FindingKind::barrier, warp, lane, instruction,
             "is at a barrier that other threads of its warp have left without");
    if (aligned && mask != group.mask)
        stop(FindingKind::barrier, warp, lane, instruction,
             "is at a barrier that other threads of its warp pass by");
    if (aligned && mask != warp.live()) {
        group.wait = Wait::others;
        return;
    }
    if (mask != group.mask) {
        // Those whose predicate is false go on.
        const std::uint32_t others = group.mask & ~mask;
        const std::uint32_t next = group.address + 1;
        const auto which = static_cast<std::size_t>(&group - warp.groups.data());
        split(warp, group, others, next);
        return barrier(warp, warp.groups[which], instruction, mask);
    }
    const std::uint32_t id = frame[instruction.a + lane];
    const bool counted = (instruction.flags & flag_has_count) != 0;
    std::uint32_t expected = m_threads;
    if (counted) {
        expected = frame[instruction.b + lane];
        if (expected == 0 || expected % lanes != 0)
            stop(FindingKind::barrier, warp, lane, instruction,
                 "waits at a barrier for " + std::to_string(expected) +
                     " threads, which is not a multiple of 32");
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned other = first_lane(rest);
        if (frame[instruction.a + other] != id || (counted && frame[instruction.b + other] != expected))
            stop(FindingKind::barrier, warp, other, instruction,
                 "names another barrier, or another number of threads, than others of its warp");
    }
    if (id >= m_barriers.size())
        stop(FindingKind::barrier, warp, lane, instruction,
             "names barrier " + std::to_string(id) + ", and there are 16");
    BlockBarrier& at = m_barriers[id];
    if (at.expected != 0 && at.expected != expected)
        stop(FindingKind::barrier, warp, lane, instruction,
             "waits at a barrier for " + std::to_string(expected) + " threads, at which others wait for " +
                 std::to_string(at.expected));
    at.expected = expected;
    at.arrived += counted && aligned ? lanes : static_cast<std::uint32_t>(std::popcount(mask));
    if (instruction.handler == Handler::barrier_arrive) {
        if (m_all_checks) m_clocks->arrive(warp.index, at.seen);
    } else if (std::ranges::find(at.warps, warp.index) == at.warps.end()) {
        at.warps.push_back(warp.index);
    }
    ++m_counts.barriers;
    if (instruction.handler == Handler::barrier_reduce) {
        const std::uint32_t set =
            ((instruction.flags & flag_negate_c) != 0 ? ~frame[instruction.c] : frame[instruction.c]) & mask;
        at.any_set = at.any_set || set != 0;
        at.all_set = at.all_set && set == mask;
        at.count_set += static_cast<std::uint32_t>(std::popcount(set));
    }
    if (instruction.handler == Handler::barrier_arrive) {
        ++group.address;
    } else {
        group.wait = Wait::barrier;
        group.barrier = id;
    }
    if (at.arrived > expected)
        stop(FindingKind::barrier, warp, lane, instruction,
             "is one thread too many at a barrier for " + std::to_string(expected));
    if (at.arrived == expected) complete_barrier(id);
}

void Machine::complete_barrier(std::uint32_t id) {
    BlockBarrier& at = m_barriers[id];
    for (Warp& warp : m_warps) {
        for (Group& group : warp.groups) {
            if (group.wait != Wait::barrier || group.barrier != id) continue;
            const Instruction& instruction = m_program.code[group.address];
            if (instruction.handler == Handler::barrier_reduce) {
                Word* const frame = group.in->frame;
                const bool chosen = instruction.op == 1 ? at.all_set : at.any_set;
                if (instruction.op == 0) {
                    for (unsigned lane = 0; lane < lanes; ++lane) {
                        if ((group.mask & lane_bit(lane)) != 0) frame[instruction.d + lane] = at.count_set;
                    }
                } else {
                    frame[instruction.d] = (frame[instruction.d] & ~group.mask) | (chosen ? group.mask : 0);
                }
            }
            group.wait = Wait::no;
            ++group.address;
        }
    }
    if (m_all_checks) m_clocks->barrier(at.warps, at.seen);
    at = {};
}

void Machine::warp_sync(Warp& warp, std::size_t which, const Instruction& instruction, std::uint32_t mask) {
    const Group group = warp.groups[which];
    const Word* const frame = group.in->frame;
    if (mask != group.mask) split(warp, warp.groups[which], group.mask & ~mask, group.address + 1);
    // A group for each mask that its lanes name.
    std::uint32_t rest = mask;
    while (rest != 0) {
        const unsigned lane = first_lane(rest);
        const std::uint32_t members = frame[instruction.a + lane];
        if ((members & lane_bit(lane)) == 0)
            stop(FindingKind::bad_mask, warp, lane, instruction, "is not in the mask that it waits with");
        std::uint32_t same = 0;
        for (unsigned l = lane; l < lanes; ++l) {
            if ((rest & lane_bit(l)) != 0 && frame[instruction.a + l] == members) same |= lane_bit(l);
        }
        rest &= ~same;
        warp.groups[which].mask &= ~same;
        warp.groups.push_back({.address = group.address,
                               .mask = same,
                               .in = group.in,
                               .wait = Wait::sync,
                               .sync_mask = members});
        std::uint32_t here = 0;
        for (const Group& other : warp.groups) {
            if (other.wait == Wait::sync && other.sync_mask == members) here |= other.mask;
        }
        const std::uint32_t needed = members & warp.live();
        if ((needed & ~here) != 0) continue;
        for (Group& other : warp.groups) {
            if (other.wait != Wait::sync || other.sync_mask != members) continue;
            other.wait = Wait::no;
            ++other.address;
        }
        ++m_counts.warp_syncs;
        if (m_all_checks) m_clocks->warp_sync(warp.index, needed, warp.live());
    }
    remove_empty(warp);
}

void Machine::report_stall() {
    // Nobody can go on: at a barrier because others have left or were never there, else because all wait for
    // each other.
    const Warp* some = nullptr;
    const Group* waiting = nullptr;
    bool someone_left = false;
    for (const Warp& warp : m_warps) {
        someone_left = someone_left || warp.left != 0;
        for (const Group& group : warp.groups) {
            const bool better =
                waiting == nullptr || (waiting->wait != Wait::barrier && group.wait == Wait::barrier);
            if (!better) continue;
            some = &warp;
            waiting = &group;
        }
    }
    const Instruction& instruction = m_program.code[waiting->address];
    const unsigned lane = first_lane(waiting->mask);
    const bool at_barrier =
        instruction.handler == Handler::barrier || instruction.handler == Handler::barrier_reduce;
    if (at_barrier && waiting->wait == Wait::others)
        stop(FindingKind::barrier, *some, lane, instruction,
             "is at a barrier that threads of its warp do not reach together");
    if (at_barrier && someone_left)
        stop(FindingKind::barrier, *some, lane, instruction, "waits at a barrier for threads that have left");
    if (at_barrier && m_barriers[waiting->barrier].expected > (m_threads + lanes - 1) / lanes * lanes)
        stop(FindingKind::barrier, *some, lane, instruction,
             "waits at a barrier for " + std::to_string(m_barriers[waiting->barrier].expected) +
                 " threads, and the block has " + std::to_string(m_threads));
    stop(FindingKind::deadlock, *some, lane, instruction,
         "waits, and so does every other thread of its block");
}

}  // namespace workbench::ptx
