// SPDX-License-Identifier: MIT
// Inside core/image only: what the image worker may take for a request. Honest files on a busy machine stay
// far below; what a damaged or hostile one can take is bounded.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/image/codec.h"
#include "core/worker/pool.h"

namespace workbench {

// Returns the limits until the header is known, by the format (as spoken) and the file's size alone.
worker::Limits limits_to_open(std::string_view format, std::uint64_t file_bytes);
// Returns those for the pixels, once it is, beside memory of `shared_bytes` that the decoder fills.
worker::Limits limits_to_decode(const ImageInfo& info, std::uint64_t shared_bytes);
worker::Limits limits_to_encode(const OutputRequest& request);
// Returns those for questions without a file.
worker::Limits limits_to_ask();

}  // namespace workbench
