// SPDX-License-Identifier: MIT
// A launch: what it is refused for, its blocks in their order, the frames of its warps.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <numeric>
#include <string>

#include "core/ptx/machine.h"

namespace workbench::ptx {

namespace {

constexpr std::uint32_t frame_alignment = 64;
// Of frames, parameters and local memory of a launch together.
constexpr std::uint64_t most_held = 1ULL << 30U;
// What is cleared and filled in for a block or a call counts as an instruction for each so many bytes.
constexpr std::uint64_t bytes_of_a_step = 4096;

std::string shape_text(const std::array<std::uint32_t, 3>& shape) {
    return std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" + std::to_string(shape[2]);
}

Result<void> check_shape(const EntryInfo& info, const Launch& launch) {
    for (std::size_t k = 0; k < 3; ++k) {
        const std::uint64_t most_grid = k == 0 ? 0x7fffffffU : 65535;
        if (launch.grid[k] == 0 || launch.grid[k] > most_grid)
            return fail(ErrorKind::bad_argument,
                        "a grid of " + shape_text(launch.grid) + " blocks is not what a GPU takes");
    }
    const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (threads == 0 || threads > 1024 || launch.block[0] > 1024 || launch.block[1] > 1024 ||
        launch.block[2] > 64)
        return fail(ErrorKind::bad_argument,
                    "a block of " + shape_text(launch.block) + " threads is not what a GPU takes");
    if (info.most_threads != 0 && threads > info.most_threads)
        return fail(ErrorKind::bad_argument,
                    info.name + " takes at most " + std::to_string(info.most_threads) +
                        " threads a block (.maxntid), not " + std::to_string(threads));
    if (info.required_block[0] != 0 && info.required_block != launch.block)
        return fail(ErrorKind::bad_argument, info.name + " takes blocks of " +
                                                 shape_text(info.required_block) + " (.reqntid), not of " +
                                                 shape_text(launch.block));
    if (launch.parameters.size() != info.parameter_bytes)
        return fail(ErrorKind::bad_argument, info.name + " takes " + std::to_string(info.parameter_bytes) +
                                                 " bytes of parameters, not " +
                                                 std::to_string(launch.parameters.size()));
    return {};
}

// Whether a function or one that it calls has an opcode that is not executed.
const RefusedOpcode* refused_in(const Program& program, std::uint32_t index, std::vector<bool>& seen) {
    std::vector<std::uint32_t> open{index};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        const Function& function = program.functions[at];
        if (function.refused) {
            // The list has been sorted since: the first of its lines is what counts.
            for (const RefusedOpcode& opcode : program.refused) {
                const bool within = function.end > function.begin && opcode.line >= function.line &&
                                    opcode.line <= program.code[function.end - 1].line;
                if (within) return &opcode;
            }
            return &program.refused.front();
        }
        for (std::uint32_t i = function.begin; i < function.end; ++i) {
            if (program.code[i].handler == Handler::call)
                open.push_back(program.calls[program.code[i].extra].function);
        }
    }
    return nullptr;
}

}  // namespace

Result<Outcome> run(const Module& module, const Launch& launch, Memory& memory) {
    const Program& program = module.program();
    const EntryInfo* const info = module.entry(launch.kernel);
    if (info == nullptr) {
        std::string names;
        for (std::size_t k = 0; k < std::min<std::size_t>(program.entries.size(), 10); ++k)
            names += (k == 0 ? "" : ", ") + program.entries[k].name;
        if (program.entries.size() > 10) names += ", ...";
        return fail(ErrorKind::bad_argument, "there is no kernel \"" + launch.kernel + "\"; there " +
                                                 (names.empty() ? "is none" : "are " + names));
    }
    const auto entry = std::ranges::find_if(program.functions, [&](const Function& f) {
        return f.is_entry && f.is_defined && f.name == launch.kernel;
    });
    std::vector<bool> seen(program.functions.size(), false);
    if (const RefusedOpcode* const opcode =
            refused_in(program, static_cast<std::uint32_t>(entry - program.functions.begin()), seen))
        return fail(ErrorKind::bad_input,
                    "line " + std::to_string(opcode->line) + ": " + opcode->name + " is not executed here");
    if (const auto checked = check_shape(*info, launch); !checked) return std::unexpected(checked.error());
    memory.state().begin_launch();
    const int rounding = std::fegetround();
    std::fesetround(FE_TONEAREST);
    Result<Outcome> outcome;
    try {
        outcome = Machine(program, *entry, launch, memory.state()).run();
    } catch (const Cancelled&) {
        outcome = fail(ErrorKind::cancelled, "the run of " + launch.kernel + " was cancelled");
    }
    std::fesetround(rounding);
    return outcome;
}

Machine::Machine(const Program& program, const Function& entry, const Launch& launch, MemoryState& memory)
    : m_program(program),
      m_entry(entry),
      m_launch(launch),
      m_memory(memory),
      m_variables(memory.variables_of(program)),
      m_counts(m_outcome.counts),
      m_all_checks(launch.checks == Checks::all),
      m_budget(launch.budget),
      m_random(launch.seed * 0x9E3779B97F4A7C15ULL + 1),
      m_forgotten(last_stamp(memory.time() - 1)),
      m_constants(program.constants),
      m_parameters(launch.parameters.begin(), launch.parameters.end()),
      m_free(program.functions.size()) {
    for (const auto& address : program.constant_addresses) {
        const std::uint64_t value = resolved(address, m_variables);
        std::memcpy(m_constants.data() + address.offset, &value, sizeof value);
    }
    const auto aligned = [](std::uint32_t value) { return (value + 127) / 128 * 128; };
    m_entry_shared = aligned(program.shared_bytes);
    m_dynamic_shared = aligned(m_entry_shared + entry.shared_bytes);
    m_shared_extents = program.shared;
    for (const Extent& extent : entry.shared)
        m_shared_extents.push_back({extent.begin + m_entry_shared, extent.end + m_entry_shared});
    if (launch.shared_bytes > 0 && launch.shared_bytes <= launch.shared_limit)
        m_shared_extents.push_back({m_dynamic_shared, m_dynamic_shared + launch.shared_bytes});
}

std::uint64_t Machine::random() {
    m_random ^= m_random << 13U;
    m_random ^= m_random >> 7U;
    m_random ^= m_random << 17U;
    return m_random;
}

std::vector<std::uint64_t> Machine::order(std::uint64_t count) {
    std::vector<std::uint64_t> made(count);
    std::iota(made.begin(), made.end(), std::uint64_t{0});
    if (m_launch.seed == 0) return made;
    for (std::uint64_t k = count; k > 1; --k) std::swap(made[k - 1], made[random() % k]);
    return made;
}

Outcome Machine::run() {
    m_threads = m_launch.block[0] * m_launch.block[1] * m_launch.block[2];
    const std::uint64_t blocks = std::uint64_t{m_launch.grid[0]} * m_launch.grid[1] * m_launch.grid[2];
    const std::uint32_t shared = m_program.entries[m_entry.info].shared_bytes;
    m_warps.resize((m_threads + lanes - 1) / lanes);
    try {
        if (std::uint64_t{shared} + m_launch.shared_bytes > m_launch.shared_limit) {
            m_warps[0].present = 1;
            stop(FindingKind::shared_limit, m_warps[0], 0, m_program.code[m_entry.begin],
                 "asks for " + std::to_string(shared) + " static and " +
                     std::to_string(m_launch.shared_bytes) +
                     " dynamic bytes of shared memory, and there are " +
                     std::to_string(m_launch.shared_limit));
        }
        m_shared.resize(m_dynamic_shared + m_launch.shared_bytes);
        if (m_launch.seed == 0 || blocks > 1U << 24U) {
            for (std::uint64_t block = 0; block < blocks; ++block) run_block(block);
        } else {
            for (const std::uint64_t block : order(blocks)) run_block(block);
        }
    } catch (const Stop&) {
        m_outcome.is_complete = false;  // what ended it is among the findings
    }
    return std::move(m_outcome);
}

void Machine::run_block(std::uint64_t index) {
    m_block = static_cast<std::uint32_t>(index);
    m_block_index = {static_cast<std::uint32_t>(index % m_launch.grid[0]),
                     static_cast<std::uint32_t>(index / m_launch.grid[0] % m_launch.grid[1]),
                     static_cast<std::uint32_t>(index / m_launch.grid[0] / m_launch.grid[1])};
    for (auto& barrier : m_barriers) barrier = {};
    if (m_all_checks) {
        m_clocks = std::make_unique<Clocks>(static_cast<std::uint32_t>(m_warps.size()), m_memory.time());
        m_shared_written.assign(m_shared.size(), 0);
        m_shared_shadow.forget_records();
    }
    // What nobody wrote is a NaN in every type.
    std::ranges::fill(m_shared, std::byte{0xff});
    take_time(m_shared.size() * (m_all_checks ? 2 : 1));
    for (std::uint32_t w = 0; w < m_warps.size(); ++w) {
        m_warps[w].index = w;
        begin_warp(m_warps[w]);
    }
    std::vector<std::uint64_t> turns = order(m_warps.size());
    std::size_t over = 0;
    while (over < m_warps.size()) {
        bool moved = false;
        for (const std::uint64_t w : turns) {
            Warp& warp = m_warps[w];
            if (warp.groups.empty()) continue;
            const std::uint64_t before = m_executed;
            const Turn turn = run_warp(warp);
            moved = moved || m_executed != before;
            if (turn == Turn::over) {
                ++over;
                moved = true;
            }
        }
        if (!moved) report_stall();
        if (m_launch.seed != 0) turns = order(m_warps.size());
    }
}

void Machine::begin_warp(Warp& warp) {
    const std::uint32_t first = warp.index * lanes;
    const std::uint32_t count = std::min<std::uint32_t>(lanes, m_threads - first);
    warp.present = count == lanes ? every_lane : (1U << count) - 1;
    warp.left = 0;
    warp.groups.clear();
    for (auto& activation : warp.activations) m_free[activation->function].push_back(std::move(activation));
    warp.activations.clear();
    const auto entry = static_cast<std::uint32_t>(&m_entry - m_program.functions.data());
    auto activation = make_activation(warp, entry, nullptr, m_program.code[m_entry.begin]);
    clear_activation(warp, *activation, every_lane);
    activation->lanes_in = warp.present;
    warp.groups.push_back({.address = m_entry.begin, .mask = warp.present, .in = activation.get()});
    warp.activations.push_back(std::move(activation));
}

void Machine::hold(const Warp& warp, const Instruction& at, std::uint64_t bytes) {
    m_held += bytes;
    if (m_held > most_held)
        stop(FindingKind::out_of_bounds, warp, first_lane(warp.present), at,
             "needs more than 1 GiB for the registers, parameters and local memory of its block");
}

void Machine::take_time(std::uint64_t bytes) {
    m_taken += bytes;
    const std::uint64_t steps = m_taken / bytes_of_a_step;
    m_taken %= bytes_of_a_step;
    m_budget -= std::min(steps, m_budget);
}

// What nobody wrote is a NaN, of every call anew.
void Machine::clear_activation(Warp& warp, Activation& activation, std::uint32_t mask) {
    const Function& function = m_program.functions[activation.function];
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const std::size_t lane = first_lane(rest);
        std::fill_n(activation.parameters.begin() + static_cast<std::ptrdiff_t>(lane * function.param_bytes),
                    function.param_bytes, std::byte{0xff});
        if (function.local_bytes == 0) continue;
        const auto begin = static_cast<std::ptrdiff_t>(lane * warp.local_bytes + activation.local_base);
        std::fill_n(warp.local.begin() + begin, function.local_bytes, std::byte{0xff});
        if (m_all_checks) std::fill_n(warp.local_written.begin() + begin, function.local_bytes, 0);
    }
    take_time(std::uint64_t{lanes} *
              (function.param_bytes + 2ULL * function.local_bytes + 4 * function.specials.size()));
}

std::unique_ptr<Activation> Machine::make_activation(Warp& warp, std::uint32_t index, Activation* parent,
                                                     const Instruction& at) {
    const Function& function = m_program.functions[index];
    std::unique_ptr<Activation> made;
    if (!m_free[index].empty()) {
        made = std::move(m_free[index].back());
        m_free[index].pop_back();
    } else {
        made = std::make_unique<Activation>();
        made->function = index;
        const std::size_t bytes = std::size_t{function.frame_words} * sizeof(std::uint32_t) + frame_alignment;
        hold(warp, at, bytes);
        take_time(bytes);
        made->storage.reset(new std::byte[bytes]());
        const auto address = reinterpret_cast<std::uintptr_t>(made->storage.get());
        made->frame = reinterpret_cast<Word*>(
            made->storage.get() + (frame_alignment - address % frame_alignment) % frame_alignment);
        fill_constants(*made, true);
    }
    made->parent = parent;
    made->depth = parent == nullptr ? 0 : parent->depth + 1;
    made->local_base =
        parent == nullptr ? 0 : parent->local_base + m_program.functions[parent->function].local_bytes;
    made->lanes_in = 0;
    const std::size_t parameters = std::size_t{function.param_bytes} * lanes;
    if (parameters > made->parameters.size()) {
        hold(warp, at, parameters);
        made->parameters.resize(parameters);
    }
    made->frame[function.true_place] = every_lane;
    fill_constants(*made, false);
    fill_specials(warp, *made);
    reserve_local(warp, made->local_base + function.local_bytes, at);
    return made;
}

void Machine::reserve_local(Warp& warp, std::uint32_t bytes, const Instruction& at) {
    if (bytes == 0) return;
    if (bytes > warp.local_bytes || warp.local.empty()) {
        const std::uint32_t old = warp.local_bytes;
        const std::uint32_t grown = std::max(bytes, old * 2);
        const std::uint64_t added = std::uint64_t{grown - old} * lanes * (m_all_checks ? 2 : 1);
        hold(warp, at, added);
        take_time(added);
        std::vector<std::byte> moved(std::size_t{grown} * lanes, std::byte{0xff});
        std::vector<std::uint8_t> written(m_all_checks ? std::size_t{grown} * lanes : 0, 0);
        for (std::size_t lane = 0; lane < lanes && old > 0; ++lane) {
            std::memcpy(moved.data() + lane * grown, warp.local.data() + lane * old, old);
            if (m_all_checks)
                std::memcpy(written.data() + lane * grown, warp.local_written.data() + lane * old, old);
        }
        warp.local = std::move(moved);
        warp.local_written = std::move(written);
        warp.local_bytes = grown;
    }
}

void Machine::fill_constants(Activation& activation, bool all) {
    for (const Constant& constant : m_program.functions[activation.function].constants) {
        const bool changes = constant.relative == Constant::Relative::local;
        if (changes == all) continue;
        std::uint64_t value = constant.value;
        switch (constant.relative) {
            case Constant::Relative::no:
                break;
            case Constant::Relative::entry_shared:
                value += m_entry_shared;
                break;
            case Constant::Relative::dynamic_shared:
                value += m_dynamic_shared;
                break;
            case Constant::Relative::local:
                value += activation.local_base;
                break;
            case Constant::Relative::global:
                value += m_variables[constant.variable];
                break;
        }
        for (unsigned lane = 0; lane < lanes; ++lane)
            write_lane(activation.frame, constant.place, constant.wide ? 8 : 4, lane, value);
    }
}

void Machine::fill_specials(const Warp& warp, Activation& activation) {
    const auto& block = m_launch.block;
    for (const auto& [special, place] : m_program.functions[activation.function].specials) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const std::uint32_t thread = warp.index * lanes + lane;
            const std::uint32_t bit = lane_bit(lane);
            std::uint32_t value = 0;
            switch (special) {
                case Special::tid_x:
                    value = thread % block[0];
                    break;
                case Special::tid_y:
                    value = thread / block[0] % block[1];
                    break;
                case Special::tid_z:
                    value = thread / block[0] / block[1];
                    break;
                case Special::ntid_x:
                case Special::ntid_y:
                case Special::ntid_z:
                    value =
                        block[static_cast<std::size_t>(special) - static_cast<std::size_t>(Special::ntid_x)];
                    break;
                case Special::ctaid_x:
                case Special::ctaid_y:
                case Special::ctaid_z:
                    value = m_block_index[static_cast<std::size_t>(special) -
                                          static_cast<std::size_t>(Special::ctaid_x)];
                    break;
                case Special::nctaid_x:
                case Special::nctaid_y:
                case Special::nctaid_z:
                    value = m_launch.grid[static_cast<std::size_t>(special) -
                                          static_cast<std::size_t>(Special::nctaid_x)];
                    break;
                case Special::laneid:
                    value = lane;
                    break;
                case Special::warpid:
                    value = warp.index;
                    break;
                case Special::nwarpid:
                    value = static_cast<std::uint32_t>(m_warps.size());
                    break;
                case Special::lanemask_eq:
                    value = bit;
                    break;
                case Special::lanemask_le:
                    value = bit | (bit - 1);
                    break;
                case Special::lanemask_lt:
                    value = bit - 1;
                    break;
                case Special::lanemask_ge:
                    value = ~(bit - 1);
                    break;
                case Special::lanemask_gt:
                    value = ~(bit | (bit - 1));
                    break;
                case Special::dynamic_smem_size:
                    value = m_launch.shared_bytes;
                    break;
                case Special::total_smem_size:
                    value = m_launch.shared_bytes + m_program.entries[m_entry.info].shared_bytes;
                    break;
                case Special::nsmid:
                    value = 1;
                    break;
                case Special::smid:
                case Special::gridid:
                    break;
            }
            activation.frame[place + lane] = value;
        }
    }
}

}  // namespace workbench::ptx
