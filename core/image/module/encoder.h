// SPDX-License-Identifier: MIT
// From planes of float or double to a file.
#pragma once

#include <memory>

#include "core/image/codec.h"

namespace workbench {

Result<std::unique_ptr<ImageEncoder>> create_encoder(const OutputRequest& request);

}  // namespace workbench
