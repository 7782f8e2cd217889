// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace workbench {

// Bytes that this process could still take without swapping: what the machine has free, and no more than the
// limits of the process (ulimit -v) and of its control group leave. IIR2D_MEMORY_LIMIT, in bytes, is taken
// for it where it is less. Absent where the system does not say.
std::optional<std::uint64_t> available_memory_bytes();

// Takes memory for samples, which may be anything. From a few megabytes on it lies in huge pages where the
// system gives them: small ones cost a fault for every 4 KiB, and a look in the page table for every row.
// Throws std::bad_alloc.
std::shared_ptr<void> memory_block(std::size_t bytes);
// Asks for huge pages for memory that nobody has touched yet, where it is of several. Advice alone: where the
// system gives none, nothing happens.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace workbench
