// SPDX-License-Identifier: MIT
// One pooling operation with what a recipe does not have: the element type it computes in, the places of the
// maxima, and the backward pass.
#pragma once

#include <cstdint>
#include <optional>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/config.h"
#include "iir2d/device.h"

namespace workbench {

struct PoolPassesWanted {
    iir2d::ElementType element =
        iir2d::ElementType::f32;            // samples are rounded to it, once, before and after
    bool indices = false;                   // of max and adaptive max
    const PlanarImage* upstream = nullptr;  // the gradient of the pooled image; null: none
    // How the forward pass is executed. Absent: as the library chooses.
    std::optional<iir2d::Config> config = std::nullopt;
};

struct PoolPasses {
    Image pooled;
    // For each window the row-major index into its input plane of the first maximum, as a double image
    // (exact: indices stay below 2^53).
    std::optional<Image> indices;
    std::optional<Image> gradient;  // of the source
};

// Bytes that pool_passes() holds at its peak, the source and the upstream gradient included, both of this
// element type. The operation is valid for the source's shape.
std::uint64_t peak_memory(const PoolOperation& operation, iir2d::Shape source, iir2d::ElementType type,
                          const PoolPassesWanted& wanted, bool with_gradient);

// An upstream gradient must have the pooled image's size and channels.
Result<PoolPasses> pool_passes(const PoolOperation& operation, const Image& source,
                               const PoolPassesWanted& wanted, const iir2d::Device& device,
                               const TaskControl& control = {});

}  // namespace workbench
