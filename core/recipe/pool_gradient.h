// SPDX-License-Identifier: MIT
// The gradient of pooling with respect to its input, for single pooled pixels and for an upstream gradient.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"

namespace workbench {

// A sample of the input, and the derivative of a pooled pixel, or of a weighted sum of such, with respect to
// it.
struct SampleGradient {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double weight = 0.0;
};

struct WindowGradient {
    double value = 0.0;  // of the pooled pixel
    // All of its window, row by row; the weight is 0 where it does not depend on the sample.
    std::vector<SampleGradient> samples;
};

// More samples are refused: nobody could see them apart.
inline constexpr std::int64_t most_gradient_samples = 1 << 16;
// So are windows that have more of them together, with those they share: following them would keep one
// waiting.
inline constexpr std::int64_t most_followed = 4 * most_gradient_samples;

// Returns the gradient of pixel (x, y) of the pooled image, in one channel. Takes a time that grows with the
// window, not with the image.
Result<WindowGradient> window_gradient(const PoolOperation& operation, const PlanarImage& input, int channel,
                                       std::int64_t x, std::int64_t y);

// A pixel of the pooled image, and the gradient of something with respect to it.
struct Upstream {
    std::int64_t x = 0;
    std::int64_t y = 0;
    double gradient = 1.0;
    friend bool operator==(const Upstream&, const Upstream&) = default;
};

// Returns the vector-Jacobian product of an upstream gradient that is 0 but at these pixels, wherever one of
// their windows reaches: what a backward pass computes. Row by row, each sample once.
Result<std::vector<SampleGradient>> input_gradient(const PoolOperation& operation, const PlanarImage& input,
                                                   int channel, std::span<const Upstream> upstream);

// Returns the operation that the gradient view is about: the one at `selected` when it pools and is on, else
// the last one that does; -1 when none does.
int pooling_to_look_at(const Recipe& recipe, int selected);
// Returns what happens to an image before an operation; nothing that is off.
Recipe before_operation(const Recipe& recipe, int operation);

}  // namespace workbench
