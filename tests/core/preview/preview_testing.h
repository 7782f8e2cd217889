// SPDX-License-Identifier: MIT
// What the tests of the preview share: a log of what the engine says, a gate for its callbacks, images and
// recipes.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/preview/preview.h"
#include "tests/core/recipe/recipe_testing.h"
#include "tests/sanitized.h"

namespace workbench::preview_testing {

using State = PreviewStatus::State;

// Under a sanitizer an exact pass takes thirty times as long, and several hundred times where each access of
// the filters' loops is noted: the sides of its image are divided by this. A wait is longer.
constexpr std::int64_t slowness = thread_sanitized ? 10 : sanitized ? 4 : 1;
constexpr std::int64_t patience = sanitized ? 4 : 1;

// Everything the engine says, in order.
class Log {
  public:
    PreviewEngine::Callbacks callbacks() {
        return {.frame =
                    [this](PreviewFrame frame) {
                        if (on_frame) on_frame(frame);
                        const std::lock_guard lock(m_mutex);
                        m_frames.push_back(std::move(frame));
                        m_changed.notify_all();
                    },
                .status =
                    [this](PreviewStatus status) {
                        const std::lock_guard lock(m_mutex);
                        m_statuses.push_back(std::move(status));
                        m_changed.notify_all();
                    }};
    }

    std::vector<PreviewFrame> frames() const {
        const std::lock_guard lock(m_mutex);
        return m_frames;
    }
    std::vector<PreviewStatus> statuses() const {
        const std::lock_guard lock(m_mutex);
        return m_statuses;
    }
    std::size_t count(PreviewQuality quality) const {
        return static_cast<std::size_t>(std::ranges::count(frames(), quality, &PreviewFrame::quality));
    }

    // Long enough for any machine; a test that waits in vain fails.
    template <class Condition>
    bool wait(Condition condition) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(60 * patience),
                                  [&] { return condition(m_frames, m_statuses); });
    }
    bool wait_for_frames(std::size_t count) {
        return wait([&](const auto& frames, const auto&) { return frames.size() >= count; });
    }
    bool wait_for_exact(std::uint64_t change) {
        return wait([&](const auto& frames, const auto&) {
            return std::ranges::any_of(frames, [&](const PreviewFrame& f) {
                return f.change == change && f.quality == PreviewQuality::exact;
            });
        });
    }
    bool wait_for_state(State state, std::uint64_t change) {
        return wait([&](const auto&, const auto& statuses) {
            return std::ranges::any_of(
                statuses, [&](const PreviewStatus& s) { return s.state == state && s.change == change; });
        });
    }

    std::function<void(const PreviewFrame&)> on_frame;  // set before the engine is made

  private:
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<PreviewFrame> m_frames;
    std::vector<PreviewStatus> m_statuses;
};

// Holds a callback until the test has done something, so that it falls into a certain moment.
class Gate {
  public:
    void wait() {
        std::unique_lock lock(m_mutex);
        m_visitor = true;
        m_changed.notify_all();
        m_changed.wait(lock, [&] { return m_open || m_passes > 0; });
        if (!m_open) --m_passes;
        m_visitor = false;
    }
    void wait_for_visitor() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_visitor && m_passes == 0; });
    }
    void open_once() {
        const std::lock_guard lock(m_mutex);
        ++m_passes;
        m_changed.notify_all();
    }
    void open_for_good() {
        const std::lock_guard lock(m_mutex);
        m_open = true;
        m_changed.notify_all();
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_visitor = false;
    bool m_open = false;
    int m_passes = 0;
};

inline ImagePtr image(std::int64_t width, std::int64_t height, int channels = 3) {
    Image image{.pixels = random_image(width, height, channels)};
    image.info.width = width;
    image.info.height = height;
    return std::make_shared<const Image>(std::move(image));
}

inline Recipe blur(double sigma) {
    return {.operations = {filter(6, {{"sigma", sigma}})}};
}

// Enough work that what comes next finds the exact pass running.
inline Recipe slow() {
    Recipe recipe;
    for (int i = 0; i < 16; ++i)
        recipe.operations.push_back(filter(6, {{"sigma", 3}}, iir2d::Precision::mixed));
    return recipe;
}

}  // namespace workbench::preview_testing
