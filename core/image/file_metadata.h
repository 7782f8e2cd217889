// SPDX-License-Identifier: MIT
// What a file said of itself, kept for the writer of another one.
#pragma once

#include <string>

namespace workbench {

struct FileMetadata {
    std::string format;     // OpenImageIO's name
    bool alpha = false;     // one of its channels is alpha
    bool straight = false;  // the file says that colour is not multiplied by alpha
    bool exif = false;
    std::string content;  // everything else, in a form that only the image module reads
};

}  // namespace workbench
