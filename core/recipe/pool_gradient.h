// SPDX-License-Identifier: MIT
// The gradient of pooled pixels with respect to the samples of the input.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"

namespace workbench {

// A sample of the input, and the derivative with respect to it: of a pooled pixel, or of a sum of them.
struct SampleGradient {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double weight = 0.0;
};

struct WindowGradients {
    double value = 0.0;  // of the pooled pixel
    std::vector<SampleGradient>
        samples;  // all of its window, row by row; those it does not depend on weigh 0
};

// More samples are refused: nobody could see them apart.
inline constexpr std::int64_t most_gradients = 1 << 16;
// So are windows that have more of them together, those they share counted each time: it would take too long.
inline constexpr std::int64_t most_summed = 4 * most_gradients;

// Returns the gradient of pixel (x, y) of the pooled image, in one channel. Its cost grows with the window,
// not with the image.
Result<WindowGradients> window_gradients(const PoolOperation& operation, const PlanarImage& input,
                                         int channel, std::int64_t x, std::int64_t y);

// A pixel of the pooled image, and the gradient of some function with respect to it.
struct UpstreamGradient {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double gradient = 1.0;
    friend bool operator==(const UpstreamGradient&, const UpstreamGradient&) = default;
};

// Returns the gradient of that function with respect to the input, the vector-Jacobian product of the
// pooling, wherever a window of these pixels reaches: what a backward pass makes of an upstream gradient that
// is 0 elsewhere. Row by row, each sample once.
Result<std::vector<SampleGradient>> input_gradient(const PoolOperation& operation, const PlanarImage& input,
                                                   int channel, std::span<const UpstreamGradient> upstream);

// Returns the operation whose gradient a view shows: the one at `selected` when it pools and is on, else the
// last one that does; -1 when none does.
int pooling_to_look_at(const Recipe& recipe, int selected);
// Returns the operations before an operation, without those that are off.
Recipe before_operation(const Recipe& recipe, int operation);

}  // namespace workbench
