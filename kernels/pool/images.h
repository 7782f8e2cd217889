// SPDX-License-Identifier: MIT
// Images one after another, for backends that take planes at one distance.
#pragma once

#include <cstdint>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/geometry.h"
#include "kernels/support/view.h"

namespace iir2d::pool {

// Returns whether the planes of both views, which are resolved, are evenly apart.
inline bool planes_are_even(const ConstTensorView& x, const ConstTensorView& y) {
    return support::planes_are_even(x) && support::planes_are_even(y);
}
inline bool planes_are_even(const Backward& data) {
    const auto even = [](const ConstTensorView& view) {
        return view.data == nullptr || support::planes_are_even(view);
    };
    return even(data.x) && even(data.y) && even(data.dy) && even(data.dx);
}

// The part of a dense array of an output's places that image `n` has.
template <class Places>
Places* places_of(Places* argmax, const Shape& output, std::int64_t n) {
    return argmax == nullptr ? nullptr : argmax + n * output.c * output.h * output.w;
}

// Returns image `n` of a backward pass.
inline Backward image_of(const Backward& data, std::int64_t n) {
    return {.x = support::image_of(data.x, n),
            .y = support::image_of(data.y, n),
            .dy = support::image_of(data.dy, n),
            .dx = support::image_of(data.dx, n),
            .argmax = places_of(data.argmax, data.dy.shape, n)};
}

inline PoolGeometry image_of(const PoolGeometry& geometry) {
    PoolGeometry image = geometry;
    image.input.n = 1;
    image.output.n = 1;
    return image;
}

// Returns the control of one of `parts` equal parts of a run, which `control` outlives.
inline RunControl part_of(const RunControl& control, std::int64_t part, std::int64_t parts) {
    RunControl inner{.stop = control.stop};
    if (control.progress) {
        inner.progress = [&control, part, parts](double fraction) {
            control.progress((static_cast<double>(part) + fraction) / static_cast<double>(parts));
        };
    }
    return inner;
}

// Calls one(n, control) for each image, with its part of the progress, until one fails.
template <class One>
Result<void> for_each_image(std::int64_t images, const RunControl& control, const One& one) {
    for (std::int64_t n = 0; n < images; ++n) {
        if (auto done = one(n, part_of(control, n, images)); !done) return done;
    }
    return {};
}

}  // namespace iir2d::pool
