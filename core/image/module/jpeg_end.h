// SPDX-License-Identifier: MIT
#pragma once

#include "core/image/module/input_file.h"

namespace workbench {

// Whether the markers of a JPEG file run up to the end of its image (EOI). libjpeg takes a file that stops
// earlier for whole, and fills up with gray.
bool jpeg_has_end(InputFile& file);

}  // namespace workbench
