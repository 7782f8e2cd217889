// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace workbench {

// Bytes that this process could still take without swapping: what the machine has free, and no more than the
// limits of the process (ulimit -v) and of its control group leave. IIR2D_MEMORY_LIMIT, in bytes, is taken
// for it where it is less. Absent where the system does not say.
std::optional<std::uint64_t> available_memory_bytes();

}  // namespace workbench
