// SPDX-License-Identifier: MIT
#include "ui/picture/image_pyramid.h"

namespace workbench {

const PlanarImage& ImagePyramid::levelFor(double step) const {
    const PlanarImage* best = &base();
    if (!isBuilt()) return *best;
    for (const PlanarImage& level : m_halvings) {
        if (double(base().width()) / double(level.width()) > step) break;
        best = &level;
    }
    return *best;
}

void ImagePyramid::build() {
    const std::lock_guard lock(m_building);
    if (isBuilt()) return;
    std::vector<PlanarImage> halvings;
    const PlanarImage* last = &base();
    while (last->plane_size() > smallEnough) {
        Proxy half = make_proxy(*last, (last->width() + 1) / 2, (last->height() + 1) / 2);
        if (half.pixels.width() >= last->width() && half.pixels.height() >= last->height()) break;
        halvings.push_back(std::move(half.pixels));
        last = &halvings.back();
    }
    m_halvings = std::move(halvings);
    m_built.store(true, std::memory_order_release);
}

}  // namespace workbench
