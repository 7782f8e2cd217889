// SPDX-License-Identifier: MIT
#include "core/image/library_version.h"

#include <OpenImageIO/imageio.h>

namespace workbench {

std::string image_library_version() {
    const int version = OIIO::openimageio_version();  // 10000 major + 100 minor + patch
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

}  // namespace workbench
