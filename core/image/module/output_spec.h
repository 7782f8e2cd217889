// SPDX-License-Identifier: MIT
// Inside core/image only: what is said about the pixels when they are written.
#pragma once

#include <string>
#include <vector>

#include "core/image/formats.h"
#include "core/image/image.h"
#include "core/image/oiio_support.h"

namespace workbench {

// Size, channels and type, with the source's metadata and colour space as far as they still hold; nothing
// about how the old file stored its samples. The samples are never to be multiplied or divided by alpha.
OIIO::ImageSpec output_spec(const Image& image, const Format& format, SampleType type);

// What the format cannot say or hold of this image, in sentences for the person who saves it.
std::vector<std::string> output_notes(const Image& image, const Format& format, SampleType wanted,
                                      SampleType type);

}  // namespace workbench
