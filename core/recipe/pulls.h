// SPDX-License-Identifier: MIT
// Which samples of its input a pixel of a pooled image depends on, and how much.
#pragma once

#include <cstdint>
#include <vector>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"

namespace workbench {

// A sample of the input, and the derivative of the pooled pixel with respect to it.
struct Pull {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double weight = 0.0;
};

struct Pulls {
    double value = 0.0;         // of the pooled pixel
    std::vector<Pull> samples;  // all of its window, row by row; those it does not depend on weigh 0
};

// Windows of more samples are refused: nobody could see them apart.
inline constexpr std::int64_t most_pulls = 1 << 16;

// Of pixel (x, y) of the pooled image, in one channel. Costs as much as the window is large, whatever the
// image.
Result<Pulls> pulls(const PoolOperation& operation, const PlanarImage& input, int channel, std::int64_t x,
                    std::int64_t y);

}  // namespace workbench
