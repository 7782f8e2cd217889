// SPDX-License-Identifier: MIT
#pragma once

#include "core/image/module/input_file.h"

namespace workbench {

// Returns whether a JPEG file's image ends with its end marker. The decoder only warns when it does not, and
// fills the rest with gray. Embedded thumbnails and data after the end do not mislead it.
bool jpeg_has_end(InputFile& file);

}  // namespace workbench
