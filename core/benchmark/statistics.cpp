// SPDX-License-Identifier: MIT
#include "core/benchmark/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace workbench {

namespace {

double percentile_of_sorted(std::span<const double> sorted, double q) {
    const double place = static_cast<double>(sorted.size() - 1) * std::clamp(q, 0.0, 100.0) / 100.0;
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= sorted.size()) return sorted.back();
    const double share = place - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

}  // namespace

double percentile(std::span<const double> samples, double q) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    return percentile_of_sorted(sorted, q);
}

SampleStatistics summarise(std::span<const double> samples) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    SampleStatistics s;
    s.count = sorted.size();
    s.min = sorted.front();
    s.p5 = percentile_of_sorted(sorted, 5);
    s.p50 = percentile_of_sorted(sorted, 50);
    s.p95 = percentile_of_sorted(sorted, 95);
    s.p99 = percentile_of_sorted(sorted, 99);
    s.max = sorted.back();

    const auto n = static_cast<double>(sorted.size());
    s.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
    double squares = 0;
    for (const double v : sorted) squares += (v - s.mean) * (v - s.mean);
    s.standard_deviation = sorted.size() > 1 ? std::sqrt(squares / (n - 1)) : 0.0;

    std::vector<double> deviations(sorted.size());
    std::ranges::transform(sorted, deviations.begin(), [&](double v) { return std::abs(v - s.p50); });
    s.median_absolute_deviation = percentile(deviations, 50);
    return s;
}

}  // namespace workbench
