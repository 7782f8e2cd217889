// SPDX-License-Identifier: MIT
// A whole recipe in a GPU's memory: the source goes up once, the result comes down once. The same bytes as
// the operations one by one.
#pragma once

#include <vector>

#include "core/recipe/apply.h"
#include "core/recipe/steps.h"

namespace workbench {

struct GpuFailure {
    Error error;
    bool no_room = false;  // the GPU's memory is too small for this way; operation by operation may do
};

// `steps` is not empty, kept_channel -1 when none is kept.
std::expected<PlanarImage, GpuFailure> apply_on_gpu(const std::vector<Step>& steps, const PlanarImage& source,
                                                    int kept_channel, const iir2d::Device& device,
                                                    const TaskControl& control, ApplyWork& work);

}  // namespace workbench
