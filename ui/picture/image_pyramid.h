// SPDX-License-Identifier: MIT
// An image and its halvings, so that drawing a large one small costs what the screen has, not what the image
// has. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/image/image.h"

namespace workbench {

class ImagePyramid {
  public:
    explicit ImagePyramid(std::shared_ptr<const Image> image) : m_image(std::move(image)) {}

    const PlanarImage& base() const { return m_image->pixels; }
    const std::shared_ptr<const Image>& image() const { return m_image; }

    // Returns the smallest of those there are that still has at least one pixel per `step` pixels of the
    // base.
    const PlanarImage& levelFor(double step) const;
    // Makes the halvings, once; small images have none. Takes as long as reading the image once does.
    void build();
    bool isBuilt() const { return m_built.load(std::memory_order_acquire); }

  private:
    static constexpr std::int64_t smallEnough = std::int64_t{1} << 20;

    std::shared_ptr<const Image> m_image;
    std::vector<PlanarImage> m_halvings;  // written before m_built is, never after
    std::atomic<bool> m_built = false;
    std::mutex m_building;
};

}  // namespace workbench
