// SPDX-License-Identifier: MIT
// The live preview: a latest-wins mailbox and one worker thread. Each change gives first a proxy (the whole
// image at display resolution), which always completes, then the exact result, which a newer change cancels
// between tiles and passes. A source no larger than the proxy limit has its exact result at once, in a pass
// that always completes. docs/preview.md says how it works and how it is measured.
//
// All functions may be called from any one thread, none from a callback. Callbacks come from the worker
// thread and must not block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "iir2d/config.h"
#include "iir2d/device.h"

namespace workbench {

enum class PreviewQuality { proxy, exact };

struct PreviewFrame {
    std::uint64_t change = 0;  // the number submit() returned
    PreviewQuality quality = PreviewQuality::proxy;
    std::shared_ptr<const Image> result;      // proxy: smaller than the source by `factor`
    double factor = 1.0;                      // source pixels per pixel of `result` before pooling
    iir2d::Shape exact_shape;                 // the size of the exact result
    std::chrono::nanoseconds compute_time{};  // kernels only
    std::optional<iir2d::RunTimes> gpu_time;  // of this frame alone, with its transfers; absent on the CPU
    iir2d::Extent proxy_size;                 // of what the recipe was applied to, before pooling
};

struct PreviewStatus {
    enum class State { idle, computing, failed };
    State state = State::idle;
    std::uint64_t change = 0;
    double progress = 0.0;  // of the exact pass
    std::optional<Error> error;
};

class PreviewEngine {
  public:
    struct Callbacks {
        std::function<void(PreviewFrame)> frame;
        std::function<void(PreviewStatus)> status;
    };
    explicit PreviewEngine(Callbacks callbacks);
    ~PreviewEngine();  // cancels and joins
    PreviewEngine(const PreviewEngine&) = delete;
    PreviewEngine& operator=(const PreviewEngine&) = delete;

    // These four submit the last recipe again, under its number.
    // Sets the image to work on; null clears. The proxy is made on the worker. Once this returns no frame of
    // the image before is delivered.
    void set_source(ImagePtr source);
    void set_device(iir2d::Device device);
    // Sets how operations are executed that it is valid for; none: as the library chooses.
    void set_config(std::optional<iir2d::Config> config);
    // Sets the display's size in device pixels, which a proxy has to fill. 1280 x 800 until it is set. When
    // the exact result is out already, only the next change makes a proxy of the new size.
    void set_proxy_limit(std::int64_t width, std::int64_t height);

    // Replaces whatever waits. Returns its number, larger than any before.
    std::uint64_t submit(Recipe recipe);
    // Drops what waits and stops what runs; the last frame stays valid, and once this returns none follows
    // until the next change.
    void cancel();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace workbench
