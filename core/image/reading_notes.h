// SPDX-License-Identifier: MIT
// What reading a file changed that its picture does not show.
#pragma once

#include <string>
#include <vector>

#include "core/image/image.h"

namespace workbench {

// Returns them in sentences, as WriteReport::notes; empty for most files.
std::vector<std::string> reading_notes(const ImageInfo& info);

}  // namespace workbench
