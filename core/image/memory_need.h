// SPDX-License-Identifier: MIT
// Memory that reading and writing an image takes, in bytes, for a caller that must check it before any work.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/image/image.h"

namespace workbench {

// Returns the size of the samples in memory: float32, or float64 when asked.
std::uint64_t memory_of_samples(const ImageInfo& info, bool as_double);

// Returns the most that read_image() takes: its samples, and what the decoder holds beside them. Formats that
// are decoded row by row hold little, others the whole image once more in the file's own type.
std::uint64_t memory_to_read(const ImageInfo& info, bool as_double);

// Returns what write_image() takes beside an image of this size: little for a format that is encoded row by
// row, the whole image once more for others. The format is the one that the file's extension names.
std::uint64_t memory_to_write(const iir2d::Shape& shape, const std::filesystem::path& file);

}  // namespace workbench
