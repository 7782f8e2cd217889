// SPDX-License-Identifier: MIT
// A launch's counts as a line of JSON, as the stand-in driver writes it to counts=FILE and
// docs/gpu-traffic.json has it.
#pragma once

#include <string>

#include "core/ptx/ptx.h"

namespace fake {

inline void append_traffic(std::string& line, const char* name,
                           const workbench::ptx::GlobalTraffic& traffic) {
    line += std::string("\"") + name + "\": {\"requests\": " + std::to_string(traffic.requests) +
            ", \"sectors\": " + std::to_string(traffic.sectors) +
            ", \"distinct\": " + std::to_string(traffic.distinct) + "}";
}

// A line without its end. "Counted, not timed."
inline std::string counts_line(const workbench::ptx::Launch& launch, const workbench::ptx::Counts& counts) {
    const auto shape = [](const std::array<std::uint32_t, 3>& sizes) {
        return "[" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
               std::to_string(sizes[2]) + "]";
    };
    std::string line = "{\"kernel\": \"" + launch.kernel + "\", \"grid\": " + shape(launch.grid) +
                       ", \"block\": " + shape(launch.block) +
                       ", \"instructions\": {\"warp\": " + std::to_string(counts.warp_instructions) +
                       ", \"lane\": " + std::to_string(counts.lane_instructions) + ", \"by_kind\": {";
    for (int k = 0; k < workbench::ptx::kinds; ++k)
        line += std::string(k == 0 ? "" : ", ") + "\"" +
                std::string(workbench::ptx::name_of(static_cast<workbench::ptx::Kind>(k))) +
                "\": " + std::to_string(counts.by_kind[static_cast<std::size_t>(k)]);
    line += "}}, \"global\": {";
    append_traffic(line, "load", counts.global_loads);
    line += ", ";
    append_traffic(line, "store", counts.global_stores);
    line += "}, \"shared\": {\"requests\": " + std::to_string(counts.shared_requests) +
            ", \"wavefronts\": " + std::to_string(counts.shared_wavefronts) +
            "}, \"barriers\": " + std::to_string(counts.barriers) +
            ", \"warp_syncs\": " + std::to_string(counts.warp_syncs) +
            ", \"divergent_branches\": " + std::to_string(counts.divergent_branches) +
            ", \"atomics\": " + std::to_string(counts.atomics) + "}";
    return line;
}

}  // namespace fake
