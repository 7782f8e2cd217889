// SPDX-License-Identifier: MIT
// OpenImageIO's vocabulary and ours.
#pragma once

#include <OpenImageIO/imageio.h>

#include <string>

#include "core/image/codec.h"
#include "core/support/error.h"

namespace workbench {

// Signed integers count as unsigned ones of their size.
SampleType sample_type(const OIIO::TypeDesc& type);
OIIO::TypeDesc file_type(SampleType type);

// Returns what the library said last, as part of one sentence. `opened`, the name under which it knows the
// file, is replaced by the user's.
std::string library_words(std::string text, const std::string& opened = {}, const std::string& path = {});

std::unexpected<Error> bad_file(const std::string& path, const std::string& why);  // UTF-8

// Once, before anything else: OpenImageIO as built by Debian writes debugging lines on stderr.
void prepare_library();

}  // namespace workbench
