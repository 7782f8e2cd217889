// SPDX-License-Identifier: MIT
// Shuffles, votes, matches and reductions of a warp.
#include <algorithm>
#include <bit>

#include "core/ptx/machine.h"

namespace workbench::ptx {

// The lanes whose partners are all here. Lanes that are not among them wait for theirs.
std::uint32_t Machine::ready_lanes(Warp& warp, const Group& group, const Instruction& instruction,
                                   std::uint32_t mask, std::uint32_t place) {
    const Word* const frame = group.in->frame;
    std::uint32_t ready = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        const std::uint32_t members = frame[place + lane];
        if ((members & lane_bit(lane)) == 0)
            stop(FindingKind::bad_mask, warp, lane, instruction, "is not in the mask of lanes that it names");
        std::uint32_t same = 0;
        for (unsigned l = 0; l < lanes; ++l) {
            if ((mask & lane_bit(l)) != 0 && frame[place + l] == members) same |= lane_bit(l);
        }
        if ((members & warp.live() & ~same) == 0) ready |= lane_bit(lane);
    }
    return ready;
}

std::uint32_t Machine::collective(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask) {
    const std::uint32_t place = i.handler == Handler::shuffle ? i.e : i.b;
    const std::uint32_t ready = ready_lanes(warp, group, i, mask, place);
    const Word* const frame = group.in->frame;
    std::uint32_t rest = ready;
    while (rest != 0) {
        const std::uint32_t members = frame[place + first_lane(rest)];
        std::uint32_t same = 0;
        for (unsigned l = 0; l < lanes; ++l) {
            if ((ready & lane_bit(l)) != 0 && frame[place + l] == members) same |= lane_bit(l);
        }
        rest &= ~same;
        if (i.handler == Handler::shuffle)
            shuffle(warp, group, i, same);
        else if (i.handler == Handler::vote)
            vote(group, i, same, members);
        else if (i.handler == Handler::reduce_sync)
            reduce(group, i, same);
        else
            match(group, i, same);
    }
    return ready;
}

void Machine::shuffle(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask) {
    Word* const frame = group.in->frame;
    std::array<std::uint32_t, lanes> values{};
    for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = frame[i.a + lane];
    std::uint32_t in_range = 0;
    std::array<std::uint32_t, lanes> made{};
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        const std::uint32_t b = frame[i.b + lane] & 31U;
        const std::uint32_t c = frame[i.c + lane];
        const std::uint32_t clamp = c & 31U;
        const std::uint32_t segment = (c >> 8U) & 31U;
        const auto highest = static_cast<std::int32_t>((lane & segment) | (clamp & ~segment));
        const auto lowest = lane & segment;
        std::int32_t from = 0;
        bool inside = false;
        switch (i.op) {
            case 0:  // up: the clamp is the lowest lane
                from = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(b);
                inside = from >= highest;
                break;
            case 1:
                from = static_cast<std::int32_t>(lane + b);
                inside = from <= highest;
                break;
            case 2:
                from = static_cast<std::int32_t>(lane ^ b);
                inside = from <= highest;
                break;
            default:
                from = static_cast<std::int32_t>(lowest | (b & ~segment));
                inside = from <= highest;
                break;
        }
        if (!inside) from = static_cast<std::int32_t>(lane);
        if (inside) in_range |= lane_bit(lane);
        // What a lane that is not here gives is not defined.
        if (inside && (frame[i.e + lane] & lane_bit(static_cast<unsigned>(from))) == 0)
            report(FindingKind::bad_mask, warp, lane, i,
                   "reads from lane " + std::to_string(from) + ", which is not in the mask");
        made[lane] = values[static_cast<unsigned>(from) & 31U];
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((mask & lane_bit(lane)) != 0 && i.d != no_operand) frame[i.d + lane] = made[lane];
    }
    if (i.d2 != no_operand) frame[i.d2] = (frame[i.d2] & ~mask) | (in_range & mask);
}

void Machine::vote(const Group& group, const Instruction& i, std::uint32_t mask,
                   std::uint32_t members) const {
    Word* const frame = group.in->frame;
    const std::uint32_t set = ((i.flags & flag_negate_c) != 0 ? ~frame[i.a] : frame[i.a]) & mask & members;
    if (i.op == 3) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if ((mask & lane_bit(lane)) != 0) frame[i.d + lane] = set;
        }
        return;
    }
    const bool all = set == mask;
    const bool holds = i.op == 0 ? all : i.op == 1 ? set != 0 : all || set == 0;
    frame[i.d] = (frame[i.d] & ~mask) | (holds ? mask : 0);
}

void Machine::match(const Group& group, const Instruction& i, std::uint32_t mask) const {
    Word* const frame = group.in->frame;
    std::array<std::uint64_t, lanes> values{};
    for (unsigned lane = 0; lane < lanes; ++lane) values[lane] = read_lane(frame, i.a, i.width_a, lane);
    std::array<std::uint32_t, lanes> made{};
    for (unsigned lane = 0; lane < lanes; ++lane) {
        for (unsigned other = 0; other < lanes; ++other) {
            if ((mask & lane_bit(other)) != 0 && values[other] == values[lane]) made[lane] |= lane_bit(other);
        }
        if (i.handler == Handler::match_all && made[lane] != mask) made[lane] = 0;
    }
    const bool all = made[first_lane(mask)] == mask;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((mask & lane_bit(lane)) != 0 && i.d != no_operand) frame[i.d + lane] = made[lane];
    }
    if (i.d2 != no_operand) frame[i.d2] = (frame[i.d2] & ~mask) | (all ? mask : 0);
}

void Machine::reduce(const Group& group, const Instruction& i, std::uint32_t mask) const {
    Word* const frame = group.in->frame;
    std::uint32_t made = frame[i.a + first_lane(mask)];
    for (std::uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
        const std::uint32_t value = frame[i.a + first_lane(rest)];
        const bool is_less = i.type == Type::s32
                                 ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(made)
                                 : value < made;
        switch (i.op) {
            case 0:
                made += value;
                break;
            case 1:
                made = is_less ? value : made;
                break;
            case 2:
                made = is_less ? made : value;
                break;
            case 3:
                made &= value;
                break;
            case 4:
                made |= value;
                break;
            default:
                made ^= value;
                break;
        }
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((mask & lane_bit(lane)) != 0) frame[i.d + lane] = made;
    }
}

}  // namespace workbench::ptx
