// SPDX-License-Identifier: MIT
// Memory for exact results. A result of a large photograph is hundreds of megabytes: to map and unmap it
// takes tens of milliseconds, which neither a pass that is cancelled every 8 ms nor the thread that drops an
// old frame can spare. So images come back here, whoever drops them, and only the worker frees them.
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/image/image.h"

namespace workbench {

class ResultStore : public std::enable_shared_from_this<ResultStore> {
  public:
    // `returned` is called after an image has come back; from any thread, and never again after close().
    explicit ResultStore(std::function<void()> returned) : m_returned(std::move(returned)) {}

    // Returns an image that came back, or a new one; its samples may be anything.
    PlanarImage take(iir2d::Shape shape, iir2d::ElementType type);
    void give_back(PlanarImage image);
    // Lends an image to others. Its pixels come back here when the last of them lets go.
    std::shared_ptr<const Image> publish(Image image);
    // Frees what is here.
    void clear();
    // Frees what is here, and from now on what comes back.
    void close();

  private:
    std::mutex m_mutex;
    std::function<void()> m_returned;
    bool m_open = true;
    std::vector<PlanarImage> m_images;
};

}  // namespace workbench
