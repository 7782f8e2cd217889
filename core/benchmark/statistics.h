// SPDX-License-Identifier: MIT
// Statistics of timing samples, in one place. Pure; the same input gives the same figures on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace workbench {

// Linear interpolation between order statistics: percentile q in [0, 100] of n samples lies at (n-1)*q/100.
// Precondition: not empty; order does not matter.
double percentile(std::span<const double> samples, double q);

// Returns the median and reorders the values. Precondition: not empty.
double median_in_place(std::vector<double>& values);

struct SampleStatistics {
    std::size_t count = 0;
    double min = 0, p5 = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
    double mean = 0;
    double standard_deviation = 0;         // of a sample (n - 1); 0 when n == 1
    double median_absolute_deviation = 0;  // unscaled
};
// Precondition: not empty.
SampleStatistics summarise(std::span<const double> samples);

struct Interval {
    double low = 0;
    double high = 0;
};

// How intervals are had: percentile bootstrap (Efron 1979) on medians of resamples with replacement.
struct BootstrapSettings {
    double confidence = 0.95;  // in (0, 1)
    int resamples = 2000;      // at least 1
    std::uint64_t seed = 1;
};

// Returns the medians of the resamples, in the order drawn. Above 4096 samples they are taken at binomial
// ranks, the distribution that the median's rank then has, instead of resampling. Precondition: not empty.
std::vector<double> bootstrap_medians(std::span<const double> samples,
                                      const BootstrapSettings& settings = {});

// Returns the confidence interval of the median, in the samples' unit. One sample has an interval of width 0,
// which says nothing. Precondition: not empty.
Interval median_interval(std::span<const double> samples, const BootstrapSettings& settings = {});

// Returns the confidence interval of median(a) / median(b), each resampled by itself. Preconditions: neither
// empty, all samples above 0.
Interval median_ratio_interval(std::span<const double> a, std::span<const double> b,
                               const BootstrapSettings& settings = {});

// Mann-Whitney U of a against b, two-sided (Mann and Whitney 1947).
struct MannWhitney {
    double u = 0;        // pairs in which a's sample is the larger, ties as a half
    double p_value = 1;  // of no difference; 1 where all samples are equal
    bool exact = false;  // counted; else the normal approximation with corrections for ties and continuity
};
// Exact where there are no ties and neither has more than 20 samples. Precondition: neither empty.
MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b);

// Returns how samples drift in the order they were taken: the Theil-Sen slope, the median of the slopes of
// all pairs, in the samples' unit a sample. Above 1024 samples, of the medians of 1024 runs of neighbours. 0
// for one sample. Precondition: not empty.
double drift_slope(std::span<const double> samples);

// Returns the drift over all samples as a part of their median: 0.05 says that the last ones are 5 % above
// the first. 0 where the median is 0. Precondition: not empty.
double relative_drift(std::span<const double> samples);

}  // namespace workbench
