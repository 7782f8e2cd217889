// SPDX-License-Identifier: MIT
// The argmax planes of max pooling, for those who need more than the pooled image.
#pragma once

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/device.h"

namespace workbench {

// For each window the row-major index into its input plane of the first maximum, as a double image of the
// pooled size (exact: indices stay below 2^53). The operation must be max.
Result<Image> max_indices(const PoolOperation& operation, const Image& source, const iir2d::Device& device,
                          const TaskControl& control = {});

}  // namespace workbench
