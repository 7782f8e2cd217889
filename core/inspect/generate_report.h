// SPDX-License-Identifier: MIT
// How far the making of a data set is: rate, rejections and time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/synth/data_set.h"

namespace workbench::inspect {

// Begins to count time when it is made. For one thread at a time.
class GenerateReport {
  public:
    explicit GenerateReport(std::uint64_t count) : m_count(count) {}

    struct State {
        double fraction = 0;
        double seconds = 0;           // since it was made
        double pairs_per_second = 0;  // of what was made now, not of what a resumed run found; 0: not known
        std::string text;             // "120 kernels, 3 rejected, 40 pairs/s, 12 s left"
    };
    State state(const synth::GenerateProgress& made);
    double seconds() const;

  private:
    struct Before {
        std::uint64_t kernels = 0;
        std::uint64_t pairs = 0;
        double seconds = 0;
    };
    std::uint64_t m_count;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::optional<Before> m_before;
};

}  // namespace workbench::inspect
