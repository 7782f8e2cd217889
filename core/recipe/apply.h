// SPDX-License-Identifier: MIT
// apply() for a caller that applies recipes again and again: it may lend memory, and learns the kernels'
// time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "iir2d/config.h"
#include "iir2d/device_tensor.h"

namespace workbench {

// A source image that stays in a GPU's memory from one application to the next. It is of one source: who
// lends it drops the planes when the pixels change. apply() uploads the source when the planes are not there,
// are of another device, size or element type, or were lost with their GPU, and drops them after a failure of
// the GPU.
struct ResidentSource {
    std::optional<iir2d::DeviceTensor> planes;

    bool fits(const iir2d::Device& device, const iir2d::ConstTensorView& source) const;
};

struct ApplyWork {
    // Gives an image to compute into, whatever its samples are. Absent: a new one each time.
    std::function<PlanarImage(iir2d::Shape, iir2d::ElementType)> take = {};
    // Takes back what take gave and the result does not need, also after an error. Absent: freed.
    std::function<void(PlanarImage)> give_back = {};
    // On a GPU: where the source stays, or is already. Absent: it is uploaded, and dropped in the end.
    ResidentSource* resident = nullptr;
    // How every operation is executed. Absent: as the library chooses.
    std::optional<iir2d::Config> config = std::nullopt;
    // Operations that the config is not valid for are executed as the library chooses, instead of failing.
    bool config_where_valid = false;
    // Time spent in kernels, without memory, conversions and a GPU's transfers.
    std::chrono::nanoseconds kernel_time{};
    // On a GPU: what its kernels and the transfers to and from it took, by its own clock.
    std::optional<iir2d::RunTimes> gpu_time;

    // Adds one more run on a GPU to both of the above.
    void add(const iir2d::RunTimes& run);
};

// Is the one code path behind both functions of recipe.h.
Result<PlanarImage> apply(const Recipe& recipe, const PlanarImage& source, int alpha_channel,
                          const iir2d::Device& device, const TaskControl& control, ApplyWork& work);

// Returns the bytes that apply() holds at its peak: the source, of this element type, and memory_estimate().
std::uint64_t peak_memory(const Recipe& recipe, iir2d::Shape source, iir2d::ElementType type);

// Returns the image that apply() makes of another: these pixels, with the source's info and metadata and the
// new size.
Image with_pixels(const Image& source, PlanarImage pixels);

}  // namespace workbench
