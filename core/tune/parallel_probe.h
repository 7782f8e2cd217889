// SPDX-License-Identifier: MIT
// Measures whether the threads have their processors to themselves at the moment.
#pragma once

#include <cstdint>

namespace workbench::tune {

// Times the same 2 ms of dependent arithmetic on one thread and then on all of them at once.
class ParallelProbe {
  public:
    explicit ParallelProbe(int threads);  // takes 40 ms, to learn how much arithmetic that is
    // Returns the slowest thread's time, the median of five, over the least of one alone: 1 where each has a
    // core.
    double ratio() const;

  private:
    double together() const;  // the slowest thread's milliseconds
    int m_threads;
    std::int64_t m_steps = 1;
};

}  // namespace workbench::tune
