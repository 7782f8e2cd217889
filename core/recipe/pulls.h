// SPDX-License-Identifier: MIT
// Which samples of its input pixels of a pooled image depend on, and how much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"

namespace workbench {

// A sample of the input, and the derivative with respect to it: of a pooled pixel, or of a sum of such.
struct Pull {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double weight = 0.0;
};

struct Pulls {
    double value = 0.0;         // of the pooled pixel
    std::vector<Pull> samples;  // all of its window, row by row; those it does not depend on weigh 0
};

// More samples are refused: nobody could see them apart.
inline constexpr std::int64_t most_pulls = 1 << 16;
// So are windows that have more of them together, with those they share: following them would keep one
// waiting.
inline constexpr std::int64_t most_followed = 4 * most_pulls;

// Of pixel (x, y) of the pooled image, in one channel. Costs as much as the window is large, whatever the
// image.
Result<Pulls> pulls(const PoolOperation& operation, const PlanarImage& input, int channel, std::int64_t x,
                    std::int64_t y);

// A pixel of the pooled image, and the gradient of something with respect to it.
struct Upstream {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double gradient = 1.0;
    friend bool operator==(const Upstream&, const Upstream&) = default;
};

// The gradient of that something with respect to the input, wherever a window of these pixels reaches: what a
// backward pass makes of an upstream gradient that is 0 elsewhere. Row by row, each sample once.
Result<std::vector<Pull>> summed_pulls(const PoolOperation& operation, const PlanarImage& input, int channel,
                                       std::span<const Upstream> upstream);

// The operation that a view of pulls is about: the one at `selected` when it pools and is on, else the last
// one that does; -1 when none does.
int pooling_to_look_at(const Recipe& recipe, int selected);
// What happens to an image before an operation; nothing that is off.
Recipe before_operation(const Recipe& recipe, int operation);

}  // namespace workbench
