// SPDX-License-Identifier: MIT
// Runs stored PTX on the CPU (V3).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compile/argument.h"
#include "core/ptx/ptx.h"
#include "core/support/error.h"

namespace workbench::compile {

struct PtxRun {
    std::string kernel;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint32_t shared_bytes = 0;  // dynamic
    std::uint64_t seed = 0;
    ptx::Checks checks = ptx::Checks::all;
    std::uint64_t budget = ptx::Launch{}.budget;  // instructions of warps
    std::stop_token stop = {};
};

struct PtxResult {
    std::vector<std::vector<std::byte>> outputs;  // of arguments that are outputs, in order
    ptx::Outcome outcome;                         // findings and counts
};

// Runs one launch. Each array is an allocation of its own, of its very size. bad_argument: arguments that do
// not fit the kernel's parameters; cancelled: `stop` asked.
Result<PtxResult> run_ptx(const ptx::Module& module, const PtxRun& run, std::span<const Argument> arguments);

}  // namespace workbench::compile
