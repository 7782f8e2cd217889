// SPDX-License-Identifier: MIT
// What a PTX text says of one kernel, without running it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/ptx/ptx.h"

namespace workbench::inspect {

struct KernelFacts {
    ptx::EntryInfo entry;
    std::string version;  // of the text: "9.0"
    std::string target;   // "sm_75"
    // Of the kernel and what it calls, the most frequent first, then by name.
    std::vector<std::pair<std::string, std::uint64_t>> opcodes;
    std::array<std::uint64_t, ptx::kinds> mix{};  // instructions of the text, by kind
    std::vector<ptx::RefusedOpcode> refused;

    std::uint64_t instructions() const;  // the sum of the mix
};

// `module` is the text of that kernel alone, with what it calls. bad_argument: it has no such kernel.
Result<KernelFacts> facts_of(const ptx::Module& module, const std::string& kernel);

}  // namespace workbench::inspect
