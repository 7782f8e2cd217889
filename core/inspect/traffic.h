// SPDX-License-Identifier: MIT
// The counted traffic of the product's GPU kernels (docs/gpu-traffic.json), and which row of it an operation
// of a recipe is.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "iir2d/device.h"

namespace workbench::inspect {

// By sectors of 32 bytes: those of each warp's instruction, and those of the launch, once.
struct Sectors {
    double all = 0;
    double distinct = 0;
};

struct LaunchTraffic {
    std::string kernel;
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::uint64_t lane_instructions = 0;
    std::uint64_t loaded = 0;  // bytes, by sectors
    std::uint64_t loaded_distinct = 0;
    std::uint64_t stored = 0;
    std::uint64_t stored_distinct = 0;
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_wavefronts = 0;
};

struct JobTraffic {
    std::string job;  // "filter 6", "max, 2 x 2 by 2"
    Sectors read;     // bytes a pixel of the input
    Sectors written;
    Sectors copies;
    double lane_instructions = 0;  // a pixel
    std::vector<LaunchTraffic> launches;
};

struct TrafficTable {
    std::string toolkit;
    std::string target;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<JobTraffic> jobs;

    const JobTraffic* find(const std::string& job) const;  // null: there is none
};

// Reads the file that is installed, or the sources' own.
Result<TrafficTable> load_traffic();
Result<TrafficTable> load_traffic(const std::filesystem::path& file);

// The row that stands for an operation.
struct OperationTraffic {
    std::string job;
    std::string difference;  // what the operation has otherwise than what was counted; empty: nothing
};
// Absent: no such thing was counted.
std::optional<OperationTraffic> traffic_of(const Operation& operation);

// Returns those of `kernels` that the plan of an operation names on a GPU; none where there is no such plan.
std::vector<std::string> planned_kernels(const Operation& operation, iir2d::Shape shape,
                                         const iir2d::Device& gpu, const std::vector<std::string>& kernels);

}  // namespace workbench::inspect
