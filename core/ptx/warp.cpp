// SPDX-License-Identifier: MIT
// A warp's turn: which group of lanes runs, and the loop over its instructions.
#include <algorithm>
#include <bit>
#include <cfenv>

#include "core/ptx/machine.h"

namespace workbench::ptx {

namespace {

// Warp instructions after which other warps have their turn, so that what they wait for each other for can
// happen.
constexpr std::uint64_t most_turn = 1U << 16U;
// With a seed, how many a diverged group runs at most before another is drawn.
constexpr std::uint64_t most_drawn = 64;

int processor_rounding(Rounding rounding) {
    switch (rounding) {
        case Rounding::zero:
            return FE_TOWARDZERO;
        case Rounding::minus:
            return FE_DOWNWARD;
        case Rounding::plus:
            return FE_UPWARD;
        case Rounding::nearest:
            break;
    }
    return FE_TONEAREST;
}

}  // namespace

Machine::Turn Machine::run_warp(Warp& warp) {
    std::uint64_t turn = most_turn;
    if (m_launch.stop.stop_requested()) throw Cancelled();
    while (!warp.groups.empty() && turn > 0) {
        const std::size_t which = choose_group(warp);
        if (which == warp.groups.size()) return Turn::waits;
        run_group(warp, which, turn);
    }
    return warp.groups.empty() ? Turn::over : Turn::goes_on;
}

std::size_t Machine::choose_group(const Warp& warp) {
    const std::size_t none = warp.groups.size();
    std::size_t chosen = none;
    std::uint64_t open = 0;
    for (std::size_t g = 0; g < none; ++g) {
        if (warp.groups[g].wait != Wait::no) continue;
        ++open;
        if (m_launch.seed == 0) {
            if (chosen == none || warp.groups[g].address < warp.groups[chosen].address) chosen = g;
        } else if (random() % open == 0) {
            chosen = g;
        }
    }
    return chosen;
}

// Whether a diverged group is to give way: to lanes at its own address, which join it, or to those at a lower
// one.
bool Machine::must_stop(const Warp& warp, const Group& group) const {
    return std::ranges::any_of(warp.groups, [&](const Group& other) {
        if (&other == &group || other.wait == Wait::barrier || other.wait == Wait::sync) return false;
        if (other.address == group.address && other.in == group.in) return true;
        return m_launch.seed == 0 && other.wait == Wait::no && other.address < group.address;
    });
}

std::size_t Machine::join_groups(Warp& warp, std::size_t which) {
    Group& group = warp.groups[which];
    for (Group& other : warp.groups) {
        if (&other == &group || other.address != group.address || other.in != group.in) continue;
        if (other.wait == Wait::barrier || other.wait == Wait::sync) continue;
        group.mask |= other.mask;
        group.wait = Wait::no;
        other.mask = 0;
    }
    const auto before = warp.groups.begin() + static_cast<std::ptrdiff_t>(which);
    const auto gone =
        std::count_if(warp.groups.begin(), before, [](const Group& other) { return other.mask == 0; });
    remove_empty(warp);
    return which - static_cast<std::size_t>(gone);
}

void Machine::remove_empty(Warp& warp) {
    std::erase_if(warp.groups, [](const Group& group) { return group.mask == 0; });
}

void Machine::split(Warp& warp, Group& group, std::uint32_t mask, std::uint32_t address) {
    group.mask &= ~mask;
    warp.groups.push_back({.address = address, .mask = mask, .in = group.in});
}

void Machine::leave(Warp& warp, Group& group, std::uint32_t mask) {
    warp.left |= mask;
    group.mask &= ~mask;
    Activation* in = group.in;
    while (in != nullptr) {
        Activation* const parent = in->parent;
        in->lanes_in &= ~mask;
        if (in->lanes_in == 0 && parent != nullptr) free_activation(warp, in);
        in = parent;
    }
    // Who waited for these lanes has to look again.
    for (Group& other : warp.groups) {
        if (other.wait == Wait::others || other.wait == Wait::sync) other.wait = Wait::no;
    }
}

void Machine::branch_indexed(Warp& warp, Group& group, const Instruction& instruction, std::uint32_t mask) {
    const auto& table = m_program.branch_tables[instruction.extra];
    const Word* const frame = group.in->frame;
    const std::uint32_t next = group.address + 1;
    std::uint32_t rest = mask;
    std::vector<Group> made;
    while (rest != 0) {
        const unsigned lane = first_lane(rest);
        const std::uint32_t index = frame[instruction.a + lane];
        if (index >= table.size())
            stop(FindingKind::out_of_bounds, warp, lane, instruction,
                 "branches to entry " + std::to_string(index) + " of a table of " +
                     std::to_string(table.size()));
        std::uint32_t same = 0;
        for (unsigned l = lane; l < lanes; ++l) {
            if ((rest & lane_bit(l)) != 0 && frame[instruction.a + l] == index) same |= lane_bit(l);
        }
        made.push_back({.address = table[index], .mask = same, .in = group.in});
        rest &= ~same;
    }
    if (mask != group.mask) made.push_back({.address = next, .mask = group.mask & ~mask, .in = group.in});
    if (made.size() > 1) ++m_counts.divergent_branches;
    group = made.front();
    warp.groups.insert(warp.groups.end(), made.begin() + 1, made.end());
}

void Machine::run_group(Warp& warp, std::size_t which, std::uint64_t& turn) {
    const Instruction* const code = m_program.code.data();
    if (warp.groups.size() > 1) which = join_groups(warp, which);
    const bool alone = warp.groups.size() == 1;
    std::uint64_t drawn = m_launch.seed == 0 ? turn : std::min(turn, 1 + random() % most_drawn);
    Group* group = &warp.groups[which];
    std::uint64_t* const by_kind = m_counts.by_kind.data();
    while (turn > 0) {
        const Instruction& i = code[group->address];
        Word* const frame = group->in->frame;
        std::uint32_t mask = group->mask;
        if (i.guard != no_operand) mask &= i.guard_negated ? ~frame[i.guard] : frame[i.guard];
        const auto active = mask == every_lane ? 32U : static_cast<unsigned>(std::popcount(mask));
        ++m_counts.warp_instructions;
        m_counts.lane_instructions += active;
        by_kind[static_cast<std::size_t>(i.kind)] += active;
        --turn;
        if (++m_executed > m_budget)
            stop(
                FindingKind::no_end, warp, first_lane(group->mask), i,
                "is where the launch is after " + std::to_string(m_launch.budget) +
                    " instructions of warps, set-up of blocks and calls included, which is taken for no end");
        // Of an instruction that has to wait, which is counted when it goes through.
        const auto take_back = [&] {
            --m_counts.warp_instructions;
            m_counts.lane_instructions -= active;
            by_kind[static_cast<std::size_t>(i.kind)] -= active;
        };
        switch (i.handler) {
            case Handler::loop:
                if (mask != 0) i.run(frame, i, mask);
                break;
            case Handler::rounded_loop:
                std::fesetround(processor_rounding(i.rounding));
                i.run(frame, i, mask);
                std::fesetround(FE_TONEAREST);
                break;
            case Handler::divide:
                for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
                    const unsigned lane = first_lane(rest);
                    const std::uint64_t divisor = read_lane(frame, i.b, i.width_a, lane);
                    if (divisor == 0) report(FindingKind::divide_by_zero, warp, lane, i, "divides by zero");
                }
                if (mask != 0) i.run(frame, i, mask);
                break;
            case Handler::load:
                if (mask != 0) load(warp, *group, i, mask);
                break;
            case Handler::store:
                if (mask != 0) store(warp, *group, i, mask);
                break;
            case Handler::load_parameter:
                if (mask != 0) load_parameter(warp, *group, i, mask);
                break;
            case Handler::atomic:
            case Handler::reduction:
                if (mask != 0) atomic(warp, *group, i, mask);
                break;
            case Handler::fence:
                break;
            case Handler::clock:
                for (unsigned lane = 0; lane < lanes; ++lane) {
                    const std::uint64_t now = i.op != 0 ? m_executed >> 32U : m_executed;
                    if ((mask & lane_bit(lane)) != 0) write_lane(frame, i.d, i.width_d, lane, now);
                }
                break;
            case Handler::to_space:
            case Handler::is_space: {
                const std::uint64_t window = i.space == Space::shared     ? shared_window
                                             : i.space == Space::local    ? local_window
                                             : i.space == Space::constant ? constant_window
                                             : i.space == Space::param    ? param_window
                                                                          : 0;
                std::uint32_t within = 0;
                for (unsigned lane = 0; lane < lanes; ++lane) {
                    const std::uint64_t address = read_lane(frame, i.a, 8, lane);
                    if ((address & window_mask) == window) within |= lane_bit(lane);
                    if (i.handler == Handler::to_space && (mask & lane_bit(lane)) != 0)
                        write_lane(frame, i.d, 8, lane,
                                   (i.flags & flag_to_space) != 0 ? address - window : address + window);
                }
                if (i.handler == Handler::is_space) frame[i.d] = (frame[i.d] & ~mask) | (within & mask);
                break;
            }
            case Handler::active_mask:
                for (unsigned lane = 0; lane < lanes; ++lane) {
                    if ((mask & lane_bit(lane)) != 0) frame[i.d + lane] = mask;
                }
                break;
            case Handler::branch:
                if (mask == group->mask) {
                    group->address = i.extra;
                } else if (mask == 0) {
                    ++group->address;
                } else {
                    ++m_counts.divergent_branches;
                    ++group->address;
                    split(warp, *group, mask, i.extra);
                    return;
                }
                if (!alone && must_stop(warp, *group)) return;
                if (--drawn == 0 && !alone) return;
                continue;
            case Handler::branch_indexed:
                if (mask == 0) break;
                branch_indexed(warp, *group, i, mask);
                return;
            case Handler::call:
                if (mask == 0) break;
                if (mask != group->mask) {
                    split(warp, *group, group->mask & ~mask, group->address + 1);
                    group = &warp.groups[which];
                    call(warp, *group, i, mask);
                    return;
                }
                call(warp, *group, i, mask);
                if (!alone) return;
                continue;
            case Handler::ret:
            case Handler::exit: {
                if (mask == 0) break;
                if (mask != group->mask) {
                    split(warp, *group, group->mask & ~mask, group->address + 1);
                    group = &warp.groups[which];
                }
                if (i.handler == Handler::ret && group->in->parent != nullptr)
                    ret(warp, *group, mask);
                else
                    leave(warp, *group, mask);
                remove_empty(warp);
                return;
            }
            case Handler::trap:
                if (mask != 0)
                    stop(FindingKind::trap, warp, first_lane(mask), i,
                         i.op != 0 ? "fails an assertion" : "traps");
                break;
            case Handler::barrier:
            case Handler::barrier_arrive:
            case Handler::barrier_reduce:
                if (mask == 0) break;
                barrier(warp, *group, i, mask);
                if (warp.groups[which].wait == Wait::others) take_back();
                if (warp.groups.size() > 1 || warp.groups[0].wait != Wait::no) return;
                group = &warp.groups[0];
                continue;
            case Handler::warp_sync:
                if (mask == 0) break;
                if (alone && mask == warp.live()) {
                    bool all = true;
                    for (unsigned lane = 0; lane < lanes; ++lane)
                        all = all && ((mask & lane_bit(lane)) == 0 || (frame[i.a + lane] & mask) == mask);
                    if (all) {
                        ++m_counts.warp_syncs;
                        if (m_all_checks) m_clocks->warp_sync(warp.index, mask, warp.live());
                        break;
                    }
                }
                warp_sync(warp, which, i, mask);
                return;
            case Handler::shuffle:
            case Handler::vote:
            case Handler::match_any:
            case Handler::match_all:
            case Handler::reduce_sync: {
                if (mask == 0) break;
                const std::uint32_t through = collective(warp, *group, i, mask) | (group->mask & ~mask);
                if (through == group->mask) break;
                // Those that wait stay, the others go on.
                take_back();
                if (through != 0) split(warp, *group, through, group->address + 1);
                warp.groups[which].wait = Wait::others;
                return;
            }
            case Handler::refused:
                stop(FindingKind::trap, warp, first_lane(group->mask), i,
                     "has an opcode that is not executed here");
        }
        ++group->address;
        if (alone) continue;
        if (must_stop(warp, *group) || --drawn == 0) return;
    }
}

}  // namespace workbench::ptx
