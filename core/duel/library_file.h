// SPDX-License-Identifier: MIT
// A build of libiir2d as a file: where it is, and what it is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/support/error.h"

namespace workbench {

struct LibraryFile {
    std::string given;  // as it was named
    std::filesystem::path path;
    std::string sha256;
    // What the library itself says, once a worker has opened it; empty until then.
    std::string version;
    std::string fingerprint;
};

// Holds what a library's fingerprint says of its source.
struct BuildIdentity {
    std::string commit;  // empty: it does not say
    bool has_local_changes = false;
};
BuildIdentity build_of(const LibraryFile& library);

// Finds the library that a person names: a file, an installed prefix, a build directory, or "." for the one
// that this program runs with. Nothing of it is run. bad_input: there is none, or it is of another
// architecture, or no shared library at all; the sentence begins with `side`.
Result<LibraryFile> find_library(std::string_view side, const std::string& given);

}  // namespace workbench
