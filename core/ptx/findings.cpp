// SPDX-License-Identifier: MIT
// Findings as sentences.
#include <array>
#include <cstdio>

#include "core/ptx/machine.h"

namespace workbench::ptx {

namespace {

std::string triple(const std::array<std::uint32_t, 3>& index) {
    return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " +
           std::to_string(index[2]) + ")";
}

}  // namespace

std::array<std::uint32_t, 3> Machine::thread_of(std::uint32_t warp, unsigned lane) const {
    const std::uint32_t thread = warp * lanes + lane;
    const auto& block = m_launch.block;
    return {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
}

void Machine::report(FindingKind kind, const Warp& warp, unsigned lane, const Instruction& instruction,
                     const std::string& what, Space space, std::uint64_t address) {
    ++m_outcome.findings_total;
    if (m_outcome.findings.size() >= most_findings) return;
    Finding finding{.kind = kind, .kernel = m_entry.name, .line = instruction.line};
    const auto index = static_cast<std::size_t>(&instruction - m_program.code.data());
    finding.source_line = m_program.source_lines[index];
    finding.block = m_block_index;
    finding.thread = thread_of(warp.index, lane);
    if (space != Space::generic) {
        finding.space = name_of(space);
        finding.address = address;
    }
    finding.message = std::string(name_of(kind)) + ": thread " + triple(finding.thread) + " of block " +
                      triple(finding.block) + " of " + m_entry.name + " " + what + ", at line " +
                      std::to_string(instruction.line) + " of the PTX";
    if (finding.source_line != 0)
        finding.message += " (line " + std::to_string(finding.source_line) + " of its source)";
    m_outcome.findings.push_back(std::move(finding));
}

void Machine::stop(FindingKind kind, const Warp& warp, unsigned lane, const Instruction& instruction,
                   const std::string& what) {
    // What ends a launch is kept whatever was found before it.
    if (m_outcome.findings.size() >= most_findings) m_outcome.findings.pop_back();
    report(kind, warp, lane, instruction, what);
    throw Stop{};
}

void Machine::report_race(const Warp& warp, unsigned lane, const Instruction& instruction,
                          const Access& other, AccessKind kind, Space space, std::uint64_t address) {
    // The sentence costs more than the search: only those that are kept have one.
    if (m_outcome.findings.size() >= most_findings) {
        ++m_outcome.findings_total;
        return;
    }
    constexpr std::array verbs{"reads", "writes", "changes", "reads"};
    const char* const verb = verbs[static_cast<std::size_t>(kind)];
    char place[64];
    std::snprintf(place, sizeof place, "0x%llx", static_cast<unsigned long long>(address));
    std::string who;
    if (other.block != m_block)
        who = other.block == several_blocks ? "other blocks" : "block " + std::to_string(other.block);
    else if (other.warp == several || other.lane == several)
        who = other.warp == several || other.warp == warp.index ? "other threads"
                                                                : "warp " + std::to_string(other.warp);
    else
        who = "thread " + triple(thread_of(other.warp, other.lane));
    report(FindingKind::race, warp, lane, instruction,
           std::string(verb) + " the " + std::string(name_of(space)) + " byte at " + place + ", which " +
               who + " reached with nothing to order the two",
           space, address);
}

}  // namespace workbench::ptx
