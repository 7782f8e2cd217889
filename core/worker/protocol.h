// SPDX-License-Identifier: MIT
// Inside core/worker only: what the pool and the fork server say to each other, and the page that the pool
// shares with each child.
#pragma once

#include <atomic>
#include <cstdint>

namespace workbench::worker {

// Raised with every change of what follows or of the frames: a program refuses a worker of another build.
inline constexpr std::uint32_t protocol_version = 1;

// The connection to the program, in a worker program that was just started.
inline constexpr int connection_descriptor = 3;

// Frame types on the server's connection. The server answers each request with a frame of the same type.
enum class ServerCall : std::uint32_t {
    // Worker to program, once, unasked. u32 protocol_version, u8 prepared, text error, u8 each: memory limit,
    // system-call filter, ends with program.
    hello = 1,
    // Handles: the child's end of its connection, its status page. Answer: i64 process id, or -1 and a text.
    fork_child = 2,
    // i64 process id. Answer: u8 ended, then i32 wait status, u64 peak resident bytes.
    reap = 3,
    // Ends all children and the server. No answer.
    end = 4,
};

// The first frame of a child, unasked, once it can take requests.
inline constexpr std::uint32_t child_ready = 1;

// In shared memory, zero at first. The program writes `cancelled`, the child `allocation_failed`, which only
// chooses the words of a failure.
struct StatusPage {
    std::atomic<std::uint32_t> cancelled;
    std::atomic<std::uint32_t> allocation_failed;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace workbench::worker
