// SPDX-License-Identifier: MIT
// Which operations were executed on which planes: what a tuner may be asked to measure later. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "core/recipe/recipe.h"
#include "iir2d/tensor.h"

namespace workbench {

struct SeenOperation {
    std::variant<FilterOperation, PoolOperation> operation;
    iir2d::ElementType element = iir2d::ElementType::f32;
    iir2d::Shape shape;
    bool places = false;
    bool backward = false;  // pooling's gradient
};

// Those of the process, at most 4,096. Nothing is noted before begin() and after end().
class SeenOperations {
  public:
    static SeenOperations& of_process() {
        static SeenOperations one;
        return one;
    }
    void begin() { m_wanted = true; }
    void end() { m_wanted = false; }
    void note(const SeenOperation& seen) {
        constexpr std::size_t most = 4096;
        if (!m_wanted) return;
        const std::lock_guard lock(m_mutex);
        if (m_all.size() < most) m_all.push_back(seen);
    }
    // Returns what was noted and forgets it.
    std::vector<SeenOperation> take() {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_all, {});
    }

  private:
    std::atomic<bool> m_wanted{false};
    std::mutex m_mutex;
    std::vector<SeenOperation> m_all;
};

}  // namespace workbench
