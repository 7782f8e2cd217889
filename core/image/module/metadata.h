// SPDX-License-Identifier: MIT
// A file's description as bytes, for a writer in another process or at another time.
#pragma once

#include "core/image/file_metadata.h"
#include "core/image/module/oiio_support.h"

namespace workbench {

FileMetadata pack_metadata(const OIIO::ImageSpec& spec, const std::string& format);

// Returns what was packed; what could not be read of it is left out.
OIIO::ImageSpec unpack_metadata(const FileMetadata& metadata);

}  // namespace workbench
