// SPDX-License-Identifier: MIT
// Measures configs in the runs that a user asks for anyway: they take turns, and nothing is run twice.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "iir2d/config.h"

namespace iir2d::tune {

// The measuring of one problem. Thread-safe.
class Exploration {
  public:
    // Precondition: static is the first of the configs.
    explicit Exploration(const std::vector<Config>& configs);

    struct Turn {
        std::size_t index = 0;
        Config config;
    };
    // Returns whose turn it is: of those that were counted least, the one that had the fewest.
    Turn next();
    // Returns what was the best, when all have their runs.
    std::optional<Config> settled() const;

    struct Outcome {
        Config config;
        double ratio = 1;  // of medians, to static's
        std::int64_t runs = 0;
    };
    // Takes the time of a run that counts but for being its config's first. Returns the outcome when the last
    // config has its runs, once.
    struct Added {
        bool counted = false;
        std::optional<Outcome> outcome;
    };
    Added add(std::size_t index, double milliseconds);

  private:
    struct Contender {
        Config config;
        std::vector<double> times;
        int turns = 0;
        bool ran = false;
    };
    Outcome outcome() const;

    mutable std::mutex m_mutex;
    std::vector<Contender> m_contenders;
    std::optional<Config> m_settled;
};

// A run in sight of the others: tells whether another run of the library was in flight meanwhile. Runs inside
// a run of the same thread are part of it.
class RunScope {
  public:
    RunScope();
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;
    // Starts to count. Until the first call nothing is counted, and no scope was alone.
    static void begin_to_watch();
    bool was_alone() const;

  private:
    bool m_counted = false;
    bool m_alone = false;
    unsigned long long m_started = 0;
};

// The wall time of a run on this thread, and whether the system took its processor meanwhile.
class RunClock {
  public:
    RunClock();
    double milliseconds() const;
    bool was_preempted() const;  // false where the system does not say

  private:
    long m_switches = 0;
    std::chrono::steady_clock::time_point m_began;
};

}  // namespace iir2d::tune
