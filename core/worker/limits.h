// SPDX-License-Identifier: MIT
// Inside core/worker only: a child's use of memory and processor, and the limits on them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace workbench::worker {

// Private writable memory of the process, touched or not, as RLIMIT_DATA counts it. Absent when it is gone.
std::optional<std::uint64_t> private_bytes(int process_id);

// Time of all its threads. Absent when it is gone.
std::optional<std::chrono::nanoseconds> processor_time(int process_id);

// Limit what the process may take in all, from its start; 0: as much as its hard limit allows. False when the
// system refuses.
bool limit_private_bytes(int process_id, std::uint64_t bytes);
bool limit_processor_seconds(int process_id, std::uint64_t seconds);

}  // namespace workbench::worker
