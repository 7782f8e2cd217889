// SPDX-License-Identifier: MIT
#include "core/benchmark/synthetic.h"

#include <cstddef>
#include <span>

namespace workbench {

namespace {

template <class T>
void fill(std::span<T> plane, std::uint64_t seed) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
        plane[i] = static_cast<T>(static_cast<double>(splitmix64(seed, i) >> 40) * 0x1p-24);
    }
}

}  // namespace

PlanarImage synthetic_plane(std::int64_t width, std::int64_t height, iir2d::ElementType type,
                            std::uint64_t seed) {
    PlanarImage image(width, height, 1, type);
    if (type == iir2d::ElementType::f64) {
        fill(image.plane_f64(0), seed);
    } else {
        fill(image.plane_f32(0), seed);
    }
    return image;
}

}  // namespace workbench
