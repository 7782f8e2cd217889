// SPDX-License-Identifier: MIT
// apply() for a caller that applies recipes again and again: it may lend memory, and learns the kernels'
// time.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "core/image/image.h"
#include "core/recipe/recipe.h"

namespace workbench {

struct ApplyWork {
    // Gives an image to compute into, whatever its samples are. Absent: a new one each time.
    std::function<PlanarImage(iir2d::Shape, iir2d::ElementType)> take = {};
    // Takes back what take gave and the result does not need, also after an error. Absent: freed.
    std::function<void(PlanarImage)> give_back = {};
    // Time spent in kernels, without memory, conversions and a GPU's transfers.
    std::chrono::nanoseconds kernel_time{};
    // On a GPU: what its kernels and the transfers to and from it took, by its own clock.
    std::optional<iir2d::RunTimes> gpu_time;
};

// The one code path behind both functions of recipe.h.
Result<PlanarImage> apply(const Recipe& recipe, const PlanarImage& source, int alpha_channel,
                          const iir2d::Device& device, const TaskControl& control, ApplyWork& work);

// What apply() gives back of an image: these pixels, with the source's info and metadata and the new size.
Image with_pixels(const Image& source, PlanarImage pixels);

}  // namespace workbench
