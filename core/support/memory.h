// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace workbench {

// Bytes that a process could still take without swapping; absent where the system does not say.
std::optional<std::uint64_t> available_memory_bytes();

}  // namespace workbench
