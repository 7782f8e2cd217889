// SPDX-License-Identifier: MIT
#include "ui/solve/solution_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace workbench {
namespace {

using Colour = std::array<double, 3>;

// Of even steps in lightness.
constexpr std::array<Colour, 5> rising{
    {{0.10, 0.12, 0.32}, {0.12, 0.33, 0.55}, {0.13, 0.55, 0.53}, {0.48, 0.75, 0.36}, {0.97, 0.91, 0.34}}};
constexpr std::array<Colour, 5> aboutZero{
    {{0.08, 0.27, 0.60}, {0.45, 0.66, 0.86}, {0.96, 0.96, 0.96}, {0.90, 0.58, 0.46}, {0.66, 0.11, 0.16}}};

Colour colourAt(double at, bool isSigned) {
    const auto& stops = isSigned ? aboutZero : rising;
    const double place = std::clamp(at, 0.0, 1.0) * double(stops.size() - 1);
    const auto from = std::min(std::size_t(place), stops.size() - 2);
    const double share = place - double(from);
    Colour made{};
    for (std::size_t c = 0; c < made.size(); ++c)
        made[c] = stops[from][c] + share * (stops[from + 1][c] - stops[from][c]);
    return made;
}

}  // namespace

QColor mapColour(double at, bool isSigned) {
    const Colour made = colourAt(at, isSigned);
    return QColor::fromRgbF(float(made[0]), float(made[1]), float(made[2]));
}

std::size_t SolutionMap::nodeAt(QPoint pixel) const {
    const int height = int(image->pixels.height());
    const auto row = std::size_t(height - 1 - pixel.y()) * std::size_t(stride);
    return row * std::size_t(side) + std::size_t(pixel.x()) * std::size_t(stride);
}

SolutionMap makeSolutionMap(const std::vector<double>& values, bool isSigned) {
    SolutionMap made{.isSigned = isSigned, .side = int(std::lround(std::sqrt(double(values.size()))))};
    bool any = false;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        made.low = any ? std::min(made.low, value) : value;
        made.high = any ? std::max(made.high, value) : value;
        any = true;
    }
    if (isSigned) {
        made.high = std::max(std::abs(made.low), std::abs(made.high));
        made.low = -made.high;
    }
    made.stride = (made.side + mostMapSide - 1) / mostMapSide;
    const int pixels = (made.side + made.stride - 1) / made.stride;
    auto image = std::make_shared<Image>();
    image->pixels = PlanarImage(pixels, pixels, 3, iir2d::ElementType::f32);
    image->info.width = image->info.height = pixels;
    image->info.channels = 3;
    image->info.channel_names = {"R", "G", "B"};
    made.image = image;
    const double span = made.high - made.low;
    for (int y = 0; y < pixels; ++y) {
        for (int x = 0; x < pixels; ++x) {
            const double value = values[made.nodeAt({x, y})];
            const Colour colour = colourAt(span > 0   ? (value - made.low) / span
                                           : isSigned ? 0.5
                                                      : 0.0,
                                           isSigned);
            for (int c = 0; c < 3; ++c)
                image->pixels.plane_f32(c)[std::size_t(y) * std::size_t(pixels) + std::size_t(x)] =
                    std::isfinite(value) ? float(colour[std::size_t(c)]) : std::nanf("");
        }
    }
    return made;
}

}  // namespace workbench
