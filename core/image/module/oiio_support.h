// SPDX-License-Identifier: MIT
// Inside core/image only: OpenImageIO's vocabulary and ours.
#pragma once

#include <OpenImageIO/imageio.h>

#include <optional>
#include <string>

#include "core/image/image.h"

namespace workbench {

// What a file said, for whoever writes the image later.
struct FileMetadata {
    OIIO::ImageSpec spec;
    std::string format;
};

// Signed integers count as unsigned ones of their size.
SampleType sample_type(OIIO::TypeDesc type);
OIIO::TypeDesc file_type(SampleType type);

// What the library said last, as part of one sentence.
std::string library_words(std::string text);

// Once, before anything else: OpenImageIO as built by Debian writes debugging lines on stderr.
void prepare_library();

}  // namespace workbench
