// SPDX-License-Identifier: MIT
// Statistics of timing samples, in one place. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace workbench {

// Linear interpolation between order statistics: percentile q in [0, 100] of n samples lies at (n-1)*q/100.
// Precondition: not empty; order does not matter.
double percentile(std::span<const double> samples, double q);

struct SampleStatistics {
    std::size_t count = 0;
    double min = 0, p5 = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
    double mean = 0;
    double standard_deviation = 0;         // of a sample (n - 1); 0 when n == 1
    double median_absolute_deviation = 0;  // unscaled
};
// Precondition: not empty.
SampleStatistics summarise(std::span<const double> samples);

}  // namespace workbench
