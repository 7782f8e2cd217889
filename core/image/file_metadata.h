// SPDX-License-Identifier: MIT
// Inside core/image only: what OpenImageIO said of a file.
#pragma once

#include <OpenImageIO/imageio.h>

#include "core/image/image.h"

namespace workbench {

struct FileMetadata {
    OIIO::ImageSpec spec;
    std::string format;
};

}  // namespace workbench
