// SPDX-License-Identifier: MIT
// What a program and its worker send each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/support/file_handle.h"

namespace workbench::worker {

// On the wire: a header of 16 bytes, then the payload. The header holds the type (u32), the kind of frame
// (u8), the number of handles (u8), two bytes of zeros and the payload's length (u64), in the machine's byte
// order: both ends are one build on one machine. Each role defines its own types.
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
