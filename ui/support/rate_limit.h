// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace workbench {

// Lets through what is shown at most so often, however often it is offered. One thread.
class RateLimit {
  public:
    using Clock = std::chrono::steady_clock;
    explicit RateLimit(Clock::duration interval) : m_interval(interval) {}
    bool isDue(Clock::time_point now = Clock::now()) {
        if (m_begun && now - m_last < m_interval) return false;
        m_begun = true;
        m_last = now;
        return true;
    }

  private:
    Clock::duration m_interval;
    Clock::time_point m_last;
    bool m_begun = false;
};

}  // namespace workbench
