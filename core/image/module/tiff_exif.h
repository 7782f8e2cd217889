// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/image/module/output_file.h"

namespace workbench {

// Adds an Exif directory with a colour space (1: sRGB) to a finished TIFF file of one page, which is how its
// readers learn it. False when the file is not what it should be, and then it is as it was.
bool add_exif_colour_space(OutputFile& file, std::uint16_t colour_space);

}  // namespace workbench
