// SPDX-License-Identifier: MIT
// Inside core/image only: an image file, opened and looked at before anything reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/image/codec.h"
#include "core/support/file_handle.h"

namespace workbench {

struct OpenSource {
    SourceFile file;    // its descriptor is `handle`'s
    FileHandle handle;  // none on Windows
    std::uint64_t size = 0;
    std::string format;  // for sentences, by its first bytes or its name: "JPEG", "image"
};

// bad_input when it is missing, empty, or not a regular file. A pipe, device or folder is neither opened nor
// waited for.
Result<OpenSource> open_source(const std::filesystem::path& path);

// Returns a format's name as people write it: "JPEG" for "jpeg".
std::string spoken_format(std::string_view name);

}  // namespace workbench
