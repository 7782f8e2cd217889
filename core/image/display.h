// SPDX-License-Identifier: MIT
// From planar samples to pixels for a screen. Pure functions; the caller owns the threads.
#pragma once

#include <cstdint>
#include <span>

#include "core/image/image.h"

namespace workbench {

struct DisplayOptions {
    double exposure_stops = 0.0;  // samples are multiplied by 2^exposure
    double gamma = 1.0;           // applied after exposure as v^(1/gamma)
    bool linear_source = false;   // the samples are scene-linear: apply the sRGB curve
};

// Renders part of an image scaled to a destination of width x height 0xffRRGGBB pixels
// (QImage::Format_RGB32). The destination pixel (i, j) covers the source area that starts at (left + i *
// step, top + j * step), in source pixels; areas above one source pixel are averaged, below one the nearest
// sample is taken; outside the image `background` is written. 1 channel is gray, 2 gray and alpha, 3 and more
// RGB(A); alpha is composed over a checkerboard; NaN shows magenta.
void render(const PlanarImage& image, const DisplayOptions& options, double left, double top, double step,
            std::int64_t width, std::int64_t height, std::uint32_t background, std::span<std::uint32_t> out);

// The same with a step for each axis: pooling over 4x1 windows shrinks one axis only, and its result is drawn
// over the whole source.
void render(const PlanarImage& image, const DisplayOptions& options, double left, double top, double step_x,
            double step_y, std::int64_t width, std::int64_t height, std::uint32_t background,
            std::span<std::uint32_t> out);

}  // namespace workbench
