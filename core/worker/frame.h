// SPDX-License-Identifier: MIT
// What a program and its worker send each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/worker/file_handle.h"

namespace workbench::worker {

// On the wire: a header of 16 bytes (type u32, flags u32, length u64, in the machine's order: both ends are
// one build on one machine), then the payload. The meaning of `type` is the role's.
struct Frame {
    std::uint32_t type = 0;
    std::string payload;  // bytes; payload.h writes and reads numbers and texts in it
    // Passed from the program to the worker only: at most `most_handles`. The sender's copies are closed when
    // the frame was sent. A worker cannot pass any: the program never takes them.
    std::vector<FileHandle> handles;
};

inline constexpr std::size_t most_handles = 8;
// A longer payload is a protocol failure, unless the pool's or the role's own limit says otherwise. Pixels do
// not go through frames but through shared memory.
inline constexpr std::size_t default_frame_limit = std::size_t{16} << 20;

}  // namespace workbench::worker
