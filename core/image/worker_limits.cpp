// SPDX-License-Identifier: MIT
#include "core/image/worker_limits.h"

#include <algorithm>
#include <array>
#include <thread>

#include "core/support/memory.h"

namespace workbench {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
// The stacks of a thread for each core count as memory of the process.
const std::uint64_t base_memory = (256 + 8 * std::uint64_t{std::thread::hardware_concurrency()}) * mebibyte;
// Of a machine that does not say how much is free.
constexpr std::uint64_t assumed_memory = 8192 * mebibyte;
// The slowest honest decoders and encoders (JPEG 2000, WebP) take less than a second a mebibyte.
constexpr auto time_per_mebibyte = milliseconds(1000);
constexpr auto base_time = milliseconds(20'000);
// A machine may run ten such programs at once.
constexpr auto base_silence = milliseconds(120'000);
constexpr int silence_for_time = 10;

// OpenImageIO's readers of these decode the picture to learn its size, so that the file's size says little.
constexpr std::array<std::string_view, 6> decoded_at_once{"JPEG 2000", "HEIF", "WebP",
                                                          "GIF",       "FITS", "image"};

std::uint64_t usable_memory() {
    return available_memory_bytes().value_or(assumed_memory) / 4 * 3;
}

// `shared_bytes`: of memory that it fills, which the system counts for no process.
worker::Limits limits(std::uint64_t memory, std::uint64_t work_bytes, std::uint64_t shared_bytes = 0) {
    const std::uint64_t usable = usable_memory();
    const auto work = static_cast<std::int64_t>(std::min(work_bytes / mebibyte, std::uint64_t{1} << 20));
    const milliseconds time = base_time + work * time_per_mebibyte;
    return {.memory_bytes = std::min(memory, std::max(usable - std::min(usable, shared_bytes), base_memory)),
            .processor_time = time,
            .silence = std::max(base_silence, silence_for_time * time)};
}

// Decoders hold an image once or twice, in its own type or as four floats a pixel.
std::uint64_t room_for(std::uint64_t native_bytes, std::int64_t width, std::int64_t height) {
    const std::uint64_t pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
    return base_memory + 2 * native_bytes + 2 * pixels * 16;
}

}  // namespace

worker::Limits limits_to_open(std::string_view format, std::uint64_t file_bytes) {
    const bool at_once = std::ranges::count(decoded_at_once, format) > 0;
    const std::uint64_t memory = at_once ? usable_memory() / 2 : base_memory + 4 * file_bytes;
    return limits(std::max(memory, base_memory), file_bytes * (at_once ? 16 : 1));
}

worker::Limits limits_to_decode(const ImageInfo& info, std::uint64_t shared_bytes) {
    return limits(room_for(info.native_bytes, info.width, info.height) + 2 * info.file_bytes,
                  info.native_bytes + info.file_bytes, shared_bytes);
}

worker::Limits limits_to_encode(const OutputRequest& request) {
    const auto samples = static_cast<std::uint64_t>(request.width) *
                         static_cast<std::uint64_t>(request.height) *
                         static_cast<std::uint64_t>(request.channels);
    return limits(room_for(samples * 4, request.width, request.height), samples * 4);
}

worker::Limits limits_to_ask() {
    return limits(base_memory, 0);
}

}  // namespace workbench
