// SPDX-License-Identifier: MIT
#include "core/evidence/paired_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/benchmark/draws.h"

namespace workbench {

namespace {

constexpr std::size_t most_for_all_means = 128;  // values, beyond which the median is found by bisection

// Counts the pairs i <= j of sorted values whose mean is at most `mean`, in linear time.
std::size_t means_up_to(std::span<const double> sorted, double mean) {
    std::size_t count = 0;
    std::size_t end = sorted.size();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        while (end > 0 && sorted[i] + sorted[end - 1] > 2 * mean) --end;
        if (end <= i) break;
        count += end - i;
    }
    return count;
}

// Sorts `values`; `means` is memory to work in.
double hodges_lehmann_of(std::vector<double>& values, std::vector<double>& means) {
    const std::size_t n = values.size();
    if (n <= most_for_all_means) {
        means.clear();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i; j < n; ++j) means.push_back(0.5 * (values[i] + values[j]));
        }
        return median_in_place(means);
    }
    std::ranges::sort(values);
    double low = values.front();
    double high = values.back();
    const std::size_t half = (n * (n + 1) / 2 + 1) / 2;
    for (int step = 0; step < 60 && low < high; ++step) {
        const double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) break;
        (means_up_to(values, middle) >= half ? high : low) = middle;
    }
    return high;
}

// Returns the continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes,
// section 6.4).
double beta_fraction(double a, double b, double x) {
    constexpr double tiny = 1e-300;
    const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double sum = d;
    for (int m = 1; m <= 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        sum *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        sum *= d * c;
        if (std::abs(d * c - 1) < 1e-15) break;
    }
    return sum;
}

double regularised_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Returns the probability that Student's variable exceeds t, which is not negative.
double student_tail(double t, double degrees) {
    return 0.5 * regularised_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

// Returns the standard deviation of what `draw` gives, about a location near its middle.
template <class Draw>
double spread_of_draws(int count, double location, Draw draw) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; ++i) {
        const double deviation = draw() - location;
        sum += deviation;
        squares += deviation * deviation;
    }
    return std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1)));
}

// Draws blocks with replacement and returns the estimate of their pairs.
double redrawn(const LaunchRatios& launch, Draws& draws, std::vector<double>& pairs,
               std::vector<double>& means) {
    pairs.clear();
    for (std::size_t i = 0; i < launch.size(); ++i) {
        const RatioBlock& block = launch[draws.below(launch.size())];
        pairs.insert(pairs.end(), block.begin(), block.end());
    }
    return hodges_lehmann_of(pairs, means);
}

}  // namespace

double hodges_lehmann(std::span<const double> values) {
    std::vector<double> own(values.begin(), values.end());
    std::vector<double> means;
    return hodges_lehmann_of(own, means);
}

double student_quantile(double tail, double degrees_of_freedom) {
    double low = 0;
    double high = 1;
    while (student_tail(high, degrees_of_freedom) > tail && high < 1e12) high *= 2;
    for (int step = 0; step < 100; ++step) {
        const double middle = 0.5 * (low + high);
        (student_tail(middle, degrees_of_freedom) > tail ? low : high) = middle;
    }
    return high;
}

double spent_alpha(double alpha, double fraction) {
    return alpha * std::log1p((std::numbers::e - 1) * std::clamp(fraction, 0.0, 1.0));
}

double AlphaSpending::next_look(double fraction) {
    const double until_now = spent_alpha(m_alpha, fraction);
    const double now = std::max(0.0, until_now - m_spent);
    m_spent = std::max(m_spent, until_now);
    return now;
}

RatioEstimate estimate_ratio(std::span<const LaunchRatios> launches, const RatioSettings& settings) {
    RatioEstimate estimate{.interval = {0, std::numeric_limits<double>::infinity()},
                           .launches = launches.size()};
    std::vector<double> of_launches;
    for (const LaunchRatios& launch : launches) {
        std::vector<double> pairs;
        for (const RatioBlock& block : launch) pairs.insert(pairs.end(), block.begin(), block.end());
        estimate.pairs += pairs.size();
        of_launches.push_back(hodges_lehmann(pairs));
    }
    const double location = hodges_lehmann(of_launches);
    estimate.ratio = std::exp(location);
    if (launches.size() < 2) return estimate;

    Draws draws(settings.seed);
    std::vector<double> drawn, pairs, means;
    const double between = spread_of_draws(settings.resamples, location, [&] {
        drawn.clear();
        for (std::size_t i = 0; i < of_launches.size(); ++i)
            drawn.push_back(of_launches[draws.below(of_launches.size())]);
        return hodges_lehmann_of(drawn, means);
    });
    const double within = spread_of_draws(settings.resamples, location, [&] {
        drawn.clear();
        for (const LaunchRatios& launch : launches) drawn.push_back(redrawn(launch, draws, pairs, means));
        return hodges_lehmann_of(drawn, means);
    });
    const auto count = static_cast<double>(launches.size());
    estimate.log_error = std::max(between * std::sqrt(count / (count - 1)), within);
    if (!(settings.alpha > 0)) return estimate;
    const double reach = student_quantile(settings.alpha / 2, count - 1) * estimate.log_error;
    estimate.interval = {std::exp(location - reach), std::exp(location + reach)};
    return estimate;
}

}  // namespace workbench
