// SPDX-License-Identifier: MIT
// Samples of things that are timed beside each other, so that a machine that drifts drifts for all of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/resource.h>
#endif

namespace bench {

inline constexpr int samples_each = 21;
// With fewer that nothing interfered with, there is no figure.
inline constexpr std::size_t least_samples = 7;

// How often this process was switched out against its will; a sample during which that rises is dropped.
inline std::int64_t preemptions() {
#if defined(__unix__)
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
#else
    return 0;
#endif
}

// The samples of one thing that is timed.
class Samples {
  public:
    // Times body(), which answers how many seconds of it count, and keeps that if nothing interfered.
    double take(auto body) {
        // Idle threads of whatever ran before spin for a while.
        std::this_thread::sleep_for(std::chrono::microseconds(300));
        const std::int64_t before = preemptions();
        const double seconds = body();
        if (preemptions() == before) m_kept.push_back(seconds);
        return seconds;
    }
    std::size_t kept() const { return m_kept.size(); }
    double median() {
        const auto middle = m_kept.begin() + static_cast<std::ptrdiff_t>(m_kept.size() / 2);
        std::ranges::nth_element(m_kept, middle);
        return *middle;
    }

  private:
    std::vector<double> m_kept;
};

double seconds_of(auto body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
