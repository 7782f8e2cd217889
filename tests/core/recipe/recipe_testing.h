// SPDX-License-Identifier: MIT
// What the recipe tests share.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/benchmark/synthetic.h"
#include "core/image/image.h"
#include "core/recipe/recipe.h"

namespace workbench {

inline Operation filter(int id, std::map<std::string, double> parameters = {},
                        iir2d::Precision precision = iir2d::Precision::f32) {
    return {.what = FilterOperation{
                .filter_id = id, .parameters = std::move(parameters), .precision = precision}};
}

inline Operation pool(iir2d::PoolOp op, iir2d::Extent window) {
    return {.what = PoolOperation{.op = op, .window = window}};
}

inline iir2d::Device cpu() {
    return *iir2d::Device::cpu();
}

// Uniform in [0, 1), each channel its own.
inline PlanarImage random_image(std::int64_t width, std::int64_t height, int channels,
                                iir2d::ElementType type = iir2d::ElementType::f32) {
    PlanarImage image(width, height, channels, type);
    for (int c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < width * height; ++i) {
            const auto bits = splitmix64(static_cast<std::uint64_t>(c) + 7, static_cast<std::uint64_t>(i));
            const double value = static_cast<double>(bits >> 40) / static_cast<double>(1 << 24);
            if (type == iir2d::ElementType::f64) {
                image.plane_f64(c)[static_cast<std::size_t>(i)] = value;
            } else {
                image.plane_f32(c)[static_cast<std::size_t>(i)] = static_cast<float>(value);
            }
        }
    }
    return image;
}

inline bool same_bytes(const PlanarImage& a, const PlanarImage& b) {
    const auto x = a.bytes();
    const auto y = b.bytes();
    return a.type() == b.type() && a.width() == b.width() && a.height() == b.height() &&
           a.channels() == b.channels() && std::equal(x.begin(), x.end(), y.begin(), y.end());
}

inline double rms_difference(const PlanarImage& a, const PlanarImage& b) {
    double sum = 0;
    for (int c = 0; c < a.channels(); ++c) {
        for (std::int64_t y = 0; y < a.height(); ++y) {
            for (std::int64_t x = 0; x < a.width(); ++x) {
                const double d = a.at(x, y, c) - b.at(x, y, c);
                sum += d * d;
            }
        }
    }
    return std::sqrt(sum / static_cast<double>(a.plane_size() * a.channels()));
}

inline std::vector<double> plane_as_doubles(const PlanarImage& image, int channel) {
    std::vector<double> out;
    for (std::int64_t y = 0; y < image.height(); ++y) {
        for (std::int64_t x = 0; x < image.width(); ++x) out.push_back(image.at(x, y, channel));
    }
    return out;
}

}  // namespace workbench
