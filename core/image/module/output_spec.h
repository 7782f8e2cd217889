// SPDX-License-Identifier: MIT
// What is said about the pixels when they are written.
#pragma once

#include "core/image/codec.h"
#include "core/image/module/oiio_support.h"

namespace workbench {

// Size, channels and type, with the source's metadata and colour space as far as they still hold; nothing
// about how the old file stored its samples. The samples are never to be multiplied or divided by alpha.
OIIO::ImageSpec output_spec(const OutputRequest& request);

}  // namespace workbench
