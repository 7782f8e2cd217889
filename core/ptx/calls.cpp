// SPDX-License-Identifier: MIT
// Calls of functions by lanes of a warp, and their ends.
#include <algorithm>
#include <cstring>
#include <string>

#include "core/ptx/machine.h"

namespace workbench::ptx {

namespace {

constexpr std::uint32_t most_calls = 1000;  // one within the other

}  // namespace

void Machine::free_activation(Warp& warp, Activation* activation) {
    const auto found =
        std::ranges::find_if(warp.activations, [&](const auto& held) { return held.get() == activation; });
    if (found == warp.activations.end()) return;
    m_free[activation->function].push_back(std::move(*found));
    warp.activations.erase(found);
}

void Machine::call(Warp& warp, Group& group, const Instruction& instruction, std::uint32_t mask) {
    const CallSite& site = m_program.calls[instruction.extra];
    const Function& callee = m_program.functions[site.function];
    Activation* const caller = group.in;
    const Function& from = m_program.functions[caller->function];
    if (caller->depth + 1 >= most_calls)
        stop(FindingKind::out_of_bounds, warp, first_lane(mask), instruction,
             "calls " + std::to_string(most_calls) +
                 " functions one within the other, for which there is no local memory");
    if (caller->local_base + from.local_bytes + callee.local_bytes > 512U << 10U)
        stop(FindingKind::out_of_bounds, warp, first_lane(mask), instruction,
             "has calls that need more than 512 KiB of local memory");
    // Lanes that come later are in the same call as those that are in it still, so that they can join.
    const auto open = std::ranges::find_if(warp.activations, [&](const auto& held) {
        return held->parent == caller && held->call == instruction.extra && (held->lanes_in & mask) == 0;
    });
    Activation* made = nullptr;
    if (open != warp.activations.end()) {
        made = open->get();
    } else {
        warp.activations.push_back(make_activation(warp, site.function, caller, instruction));
        made = warp.activations.back().get();
    }
    clear_activation(warp, *made, mask);
    made->lanes_in |= mask;
    made->return_to = group.address + 1;
    made->call = instruction.extra;
    for (std::size_t k = 0; k < site.arguments.size(); ++k) {
        const auto& actual = site.arguments[k];
        const auto& formal = callee.arguments[k];
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if ((mask & lane_bit(lane)) == 0) continue;
            if (actual.in_register) {
                write_lane(made->frame, formal.place, formal.bytes, lane,
                           read_lane(caller->frame, actual.place, actual.bytes, lane));
            } else {
                std::memcpy(made->parameters.data() + std::size_t{lane} * callee.param_bytes + formal.place,
                            caller->parameters.data() + std::size_t{lane} * from.param_bytes + actual.place,
                            actual.bytes);
            }
        }
    }
    group.in = made;
    group.address = callee.begin;
}

void Machine::ret(Warp& warp, Group& group, std::uint32_t mask) {
    Activation* const over = group.in;
    Activation* const caller = over->parent;
    const CallSite& site = m_program.calls[over->call];
    const Function& callee = m_program.functions[over->function];
    const Function& to = m_program.functions[caller->function];
    for (std::size_t k = 0; k < site.results.size(); ++k) {
        const auto& actual = site.results[k];
        const auto& formal = callee.results[k];
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if ((mask & lane_bit(lane)) == 0) continue;
            if (actual.in_register) {
                write_lane(caller->frame, actual.place, actual.bytes, lane,
                           read_lane(over->frame, formal.place, formal.bytes, lane));
            } else {
                std::memcpy(caller->parameters.data() + std::size_t{lane} * to.param_bytes + actual.place,
                            over->parameters.data() + std::size_t{lane} * callee.param_bytes + formal.place,
                            actual.bytes);
            }
        }
    }
    group.address = over->return_to;
    group.in = caller;
    over->lanes_in &= ~mask;
    if (over->lanes_in == 0) free_activation(warp, over);
}

}  // namespace workbench::ptx
