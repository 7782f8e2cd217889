// SPDX-License-Identifier: MIT
#include "core/preview/result_store.h"

#include <algorithm>
#include <utility>

namespace workbench {

PlanarImage ResultStore::take(iir2d::Shape shape, iir2d::ElementType type) {
    std::vector<PlanarImage> unfit;  // freed first: there may not be room for both
    {
        const std::lock_guard lock(m_mutex);
        const auto fits = std::ranges::find_if(m_images, [&](const PlanarImage& image) {
            return image.type() == type && std::as_const(image).view().shape == shape;
        });
        if (fits != m_images.end()) {
            PlanarImage image = std::move(*fits);
            m_images.erase(fits);
            return image;
        }
        unfit.swap(m_images);
    }
    unfit.clear();
    return PlanarImage::uninitialised(shape.w, shape.h, static_cast<int>(shape.c), type);
}

void ResultStore::give_back(PlanarImage image) {
    const std::lock_guard lock(m_mutex);
    if (!m_open || image.empty()) return;
    m_images.push_back(std::move(image));
    m_returned();
}

std::shared_ptr<const Image> ResultStore::publish(Image image) {
    auto held = std::make_unique<Image>(std::move(image));
    return {held.release(), [store = shared_from_this()](Image* dropped) {
                const std::unique_ptr<Image> owner(dropped);
                store->give_back(std::move(owner->pixels));
            }};
}

void ResultStore::clear() {
    std::vector<PlanarImage> freed;
    const std::lock_guard lock(m_mutex);
    freed.swap(m_images);
}

void ResultStore::close() {
    std::vector<PlanarImage> freed;
    const std::lock_guard lock(m_mutex);
    m_open = false;
    freed.swap(m_images);
}

}  // namespace workbench
