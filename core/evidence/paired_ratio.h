// SPDX-License-Identifier: MIT
// The ratio of two programs that were timed in turn, how sure it is, and when it may be looked at. Pure; the
// same input gives the same figures on every machine. docs/duel.md has the reasons.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/benchmark/statistics.h"

namespace workbench {

// Logarithms of the ratios of a block's pairs, neighbours in time whose orders mirror each other (ABBA).
using RatioBlock = std::vector<double>;
// The blocks of one launch: of processes that were started together and have one layout of memory.
using LaunchRatios = std::vector<RatioBlock>;

// Returns the Hodges-Lehmann estimate of location: the median of the means of all pairs of values, each with
// itself too (Hodges and Lehmann 1963). Up to 29 % of the values may be anything. Precondition: not empty.
double hodges_lehmann(std::span<const double> values);

// Returns the quantile of Student's distribution: the value that is exceeded with probability `tail`, in
// (0, 0.5]. Precondition: degrees of freedom of at least 1.
double student_quantile(double tail, double degrees_of_freedom);

// Returns what part of `alpha` may be spent by the time that `fraction` of the most information is there, in
// [0, 1]: alpha ln(1 + (e - 1) fraction), the spending function of Lan and DeMets (Biometrika 1983) whose
// bounds are near Pocock's (1977).
double spent_alpha(double alpha, double fraction);

// Spends an alpha over looks at data that grow. Each look's interval has the alpha that was not spent before,
// so that by the union bound the truth lies outside any of them with at most the whole alpha, however the
// looks depend on each other.
class AlphaSpending {
  public:
    explicit AlphaSpending(double alpha) : m_alpha(alpha) {}
    // Returns the alpha of a look at `fraction` of the most information; 0 where nothing is left to spend.
    double next_look(double fraction);

  private:
    double m_alpha;
    double m_spent = 0;
};

struct RatioEstimate {
    double ratio = 1;      // exp of the estimate
    Interval interval;     // of the ratio; [0, infinity) with fewer than two launches or no alpha
    double log_error = 0;  // standard error of the logarithm
    std::size_t pairs = 0;
    std::size_t launches = 0;
};

struct RatioSettings {
    double alpha = 0.05;  // that the interval leaves out
    int resamples = 300;
    std::uint64_t seed = 1;
};

// Estimates the ratio: Hodges-Lehmann over the pairs of each launch, and over the launches' estimates. Its
// error comes from a bootstrap of both levels. Launches are drawn with replacement, each as it is: drawing
// again inside them would count the spread within launches twice (Davison and Hinkley 1997, section 3.8). The
// error that this gives is too small by sqrt((n - 1) / n) for n launches (Hesterberg 2015, section 4) and is
// corrected; it is never less than that of blocks drawn with replacement inside every launch. The interval is
// Student's with n - 1 degrees of freedom. Precondition: launches have blocks and blocks have pairs.
RatioEstimate estimate_ratio(std::span<const LaunchRatios> launches, const RatioSettings& settings);

}  // namespace workbench
