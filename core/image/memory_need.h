// SPDX-License-Identifier: MIT
// What reading and writing an image takes of memory, in bytes; for who must say it before there is work done.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/image/image.h"

namespace workbench {

// Of the samples in memory: float32, or float64 when asked.
std::uint64_t memory_of_samples(const ImageInfo& info, bool as_double);

// The most while read_image() runs: its samples, and what the decoder holds beside them. Formats that are
// decoded row by row hold little, others the whole image once more in the file's own type.
std::uint64_t memory_to_read(const ImageInfo& info, bool as_double);

// What write_image() takes beside the image: for a format ("png") that is encoded row by row little, for
// others the whole image once more.
std::uint64_t memory_to_write(const iir2d::Shape& shape, SampleType type, std::string_view format);

}  // namespace workbench
