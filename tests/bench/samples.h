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

// Idle threads of whatever ran before spin for a while, and take processors from a call that uses several:
// those of OpenMP (GCC's) for 300,000 pauses, up to 15 ms.
inline constexpr std::chrono::microseconds until_own_threads_sleep{300};
inline constexpr std::chrono::microseconds until_other_threads_sleep{20000};

// The samples of one thing that is timed.
class Samples {
  public:
    explicit Samples(std::chrono::microseconds pause = until_own_threads_sleep) : m_pause(pause) {}

    // Times body() after a pause, which answers how many seconds of it count, and keeps that if nothing
    // interfered.
    double take(auto body) {
        std::this_thread::sleep_for(m_pause);
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
    std::chrono::microseconds m_pause;
    std::vector<double> m_kept;
};

double seconds_of(auto body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
