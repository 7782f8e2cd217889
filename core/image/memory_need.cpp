// SPDX-License-Identifier: MIT
#include "core/image/memory_need.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/image/formats.h"
#include "core/support/text.h"

namespace workbench {

namespace {

// A decoder's or encoder's own tables, and the rows that are handed over at a time.
constexpr std::uint64_t always = std::uint64_t{16} << 20;

constexpr std::array<std::string_view, 5> row_by_row{"tiff", "openexr", "hdr", "pnm", "dpx"};

std::uint64_t held_whole(std::string_view format, std::uint64_t native_bytes) {
    if (std::ranges::count(row_by_row, format) > 0) return 0;
    // Progressive files are held as coefficients of two bytes.
    return format == "jpeg" ? 2 * native_bytes : native_bytes;
}

}  // namespace

std::uint64_t memory_of_samples(const ImageInfo& info, bool as_double) {
    return static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height) *
           static_cast<std::uint64_t>(info.channels) * (as_double ? 8U : 4U);
}

std::uint64_t memory_to_read(const ImageInfo& info, bool as_double) {
    return memory_of_samples(info, as_double) + held_whole(info.format, info.native_bytes) + always;
}

std::uint64_t memory_to_write(const iir2d::Shape& shape, const std::filesystem::path& file) {
    const Format* format = format_by_extension(utf8_path(file.extension()));
    const auto samples = static_cast<std::uint64_t>(shape.c) * static_cast<std::uint64_t>(shape.h) *
                         static_cast<std::uint64_t>(shape.w);
    // WebP holds its bytes twice. PNG, JPEG, BMP and Targa files are read whole by some decoders, but written
    // row by row.
    return (format != nullptr && format->name == "webp" ? samples * 2 : 0) + always;
}

}  // namespace workbench
