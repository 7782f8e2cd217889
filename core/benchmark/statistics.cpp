// SPDX-License-Identifier: MIT
#include "core/benchmark/statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "core/benchmark/draws.h"

namespace workbench {

namespace {

double percentile_of_sorted(std::span<const double> sorted, double q) {
    const double place = static_cast<double>(sorted.size() - 1) * std::clamp(q, 0.0, 100.0) / 100.0;
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= sorted.size()) return sorted.back();
    const double share = place - static_cast<double>(below);
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

// Returns how many of `count` tosses are heads.
std::size_t heads(Draws& draws, std::size_t count) {
    std::size_t sum = 0;
    for (; count >= 64; count -= 64) sum += static_cast<std::size_t>(std::popcount(draws.next()));
    if (count > 0) sum += static_cast<std::size_t>(std::popcount(draws.next() >> (64 - count)));
    return sum;
}

constexpr std::size_t most_resampled = 4096;
constexpr std::size_t most_for_exact = 20;
constexpr std::size_t most_for_slopes = 1024;

// Places in sorted samples: where the median is of samples that were drawn from them. One place for an odd
// number.
struct MedianPlaces {
    std::uint32_t below = 0;
    std::uint32_t above = 0;
};

// Samples are there so many times each, and as many in all as there are samples.
MedianPlaces median_of_drawn(std::span<const std::uint32_t> times) {
    const std::size_t half = times.size() / 2;
    std::uint32_t place = 0;
    std::size_t through = times[0];  // how many are up to this place
    const auto forward_to = [&](std::size_t rank) {
        while (through <= rank) through += times[++place];
        return place;
    };
    if (times.size() % 2 == 1) return {forward_to(half), place};
    const std::uint32_t below = forward_to(half - 1);
    return {below, forward_to(half)};
}

// Draws `count` samples from as many, again and again, and returns where each resample's median is.
std::vector<MedianPlaces> draw_medians(std::size_t count, const BootstrapSettings& settings) {
    Draws draws(settings.seed);
    std::vector<MedianPlaces> medians(static_cast<std::size_t>(settings.resamples));
    std::vector<std::uint32_t> drawn(count <= most_resampled ? count : 0);  // how often each sample is
    for (MedianPlaces& median : medians) {
        if (count > most_resampled) {
            median.below = median.above =
                static_cast<std::uint32_t>(std::min(heads(draws, count), count - 1));
            continue;
        }
        std::ranges::fill(drawn, 0U);
        for (std::size_t i = 0; i < count; ++i) ++drawn[draws.below(count)];
        median = median_of_drawn(drawn);
    }
    return medians;
}

// The last few draws. They do not depend on the samples, only on how many there are, which is the same for
// most cases of a record; and drawing is nearly all the work of an interval.
class KeptDraws {
  public:
    using Medians = std::shared_ptr<const std::vector<MedianPlaces>>;

    Medians medians(std::size_t count, const BootstrapSettings& settings) {
        const auto found = std::ranges::find_if(m_kept, [&](const Kept& kept) {
            return kept.count == count && kept.resamples == settings.resamples && kept.seed == settings.seed;
        });
        if (found != m_kept.end()) return found->medians;
        auto made = std::make_shared<const std::vector<MedianPlaces>>(draw_medians(count, settings));
        if (settings.resamples <= most_kept) {
            m_kept[m_oldest] = {count, settings.resamples, settings.seed, made};
            m_oldest = (m_oldest + 1) % m_kept.size();
        }
        return made;
    }

  private:
    static constexpr int most_kept = 1 << 16;  // half a megabyte
    struct Kept {
        std::size_t count = 0;  // of no samples, which nobody asks for
        int resamples = 0;
        std::uint64_t seed = 0;
        Medians medians;
    };
    std::array<Kept, 4> m_kept;
    std::size_t m_oldest = 0;
};

// The percentile, and the values in another order.
double percentile_in_place(std::vector<double>& values, double q) {
    const double place = static_cast<double>(values.size() - 1) * std::clamp(q, 0.0, 100.0) / 100.0;
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), below, values.end());
    if (below + 1 == values.end()) return *below;
    const double share = place - std::floor(place);
    return *below + share * (*std::min_element(below + 1, values.end()) - *below);
}

Interval central(std::vector<double>& values, double confidence) {
    const double tail = 50 * (1 - confidence);
    const double low = percentile_in_place(values, tail);
    return {low, percentile_in_place(values, 100 - tail)};
}

// The probability under no difference that U is at most `u`: of the ways to choose n of n + m ranks, those
// whose U is that small, counted by the recurrence of Mann and Whitney (1947), in doubles: exact to their
// last digits.
double exact_tail(std::size_t n, std::size_t m, std::size_t u) {
    const std::size_t largest = n * m;
    // ways[j][k]: of j samples of a and i of b, with U = k; i grows by one a round.
    std::vector<std::vector<double>> ways(n + 1, std::vector<double>(largest + 1, 0.0));
    for (auto& row : ways) row[0] = 1;
    for (std::size_t i = 1; i <= m; ++i) {
        for (std::size_t j = 1; j <= n; ++j) {
            // The largest is b's (U as with one b fewer) or a's (it beats all i of b).
            for (std::size_t k = largest + 1; k-- > 0;) {
                const double of_a = k >= i ? ways[j - 1][k - i] : 0.0;
                ways[j][k] += of_a;
            }
        }
    }
    const auto& row = ways[n];
    const double all = std::accumulate(row.begin(), row.end(), 0.0);
    return std::accumulate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(std::min(u, largest) + 1),
                           0.0) /
           all;
}

struct Ranked {
    double u = 0;     // of a
    double ties = 0;  // sum of t^3 - t over groups of equal samples
};

Ranked rank(std::span<const double> a, std::span<const double> b) {
    struct Value {
        double value;
        bool of_a;
    };
    std::vector<Value> all;
    all.reserve(a.size() + b.size());
    for (const double v : a) all.push_back({v, true});
    for (const double v : b) all.push_back({v, false});
    std::ranges::sort(all, {}, &Value::value);
    Ranked ranked;
    double rank_sum = 0;
    for (std::size_t first = 0; first < all.size();) {
        std::size_t end = first;
        std::size_t of_a = 0;
        for (; end < all.size() && all[end].value == all[first].value; ++end) of_a += all[end].of_a ? 1U : 0U;
        const auto t = static_cast<double>(end - first);
        rank_sum += static_cast<double>(of_a) * (static_cast<double>(first) + (t + 1) / 2);
        ranked.ties += t * t * t - t;
        first = end;
    }
    const auto n = static_cast<double>(a.size());
    ranked.u = rank_sum - n * (n + 1) / 2;
    return ranked;
}

}  // namespace

double median_in_place(std::vector<double>& values) {
    const std::size_t half = values.size() / 2;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    const double below = *std::max_element(values.begin(), middle);
    return below + 0.5 * (*middle - below);
}

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

std::vector<double> bootstrap_medians(std::span<const double> samples, const BootstrapSettings& settings) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    thread_local KeptDraws kept;
    const KeptDraws::Medians drawn = kept.medians(sorted.size(), settings);
    const bool is_one = sorted.size() % 2 == 1 || sorted.size() > most_resampled;
    std::vector<double> medians(drawn->size());
    std::ranges::transform(*drawn, medians.begin(), [&](const MedianPlaces& places) {
        const double below = sorted[places.below];
        return is_one ? below : below + 0.5 * (sorted[places.above] - below);
    });
    return medians;
}

Interval median_interval(std::span<const double> samples, const BootstrapSettings& settings) {
    auto medians = bootstrap_medians(samples, settings);
    return central(medians, settings.confidence);
}

Interval median_ratio_interval(std::span<const double> a, std::span<const double> b,
                               const BootstrapSettings& settings) {
    auto ratios = bootstrap_medians(a, settings);
    // Another seed: with the same one, equal counts would be resampled alike.
    BootstrapSettings other = settings;
    other.seed = ~settings.seed;
    const auto below = bootstrap_medians(b, other);
    std::ranges::transform(ratios, below, ratios.begin(), [](double x, double y) { return x / y; });
    return central(ratios, settings.confidence);
}

MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b) {
    const Ranked ranked = rank(a, b);
    const auto n = static_cast<double>(a.size());
    const auto m = static_cast<double>(b.size());
    MannWhitney result{.u = ranked.u};
    if (ranked.ties == 0 && a.size() <= most_for_exact && b.size() <= most_for_exact) {
        result.exact = true;
        const double smaller = std::min(ranked.u, n * m - ranked.u);
        result.p_value = std::min(1.0, 2 * exact_tail(a.size(), b.size(), static_cast<std::size_t>(smaller)));
        return result;
    }
    const double total = n + m;
    const double variance = n * m / 12 * ((total + 1) - ranked.ties / (total * (total - 1)));
    if (!(variance > 0)) return result;  // all are equal
    const double distance = std::max(0.0, std::abs(ranked.u - n * m / 2) - 0.5);
    result.p_value = std::min(1.0, std::erfc(distance / std::sqrt(2 * variance)));
    return result;
}

double drift_slope(std::span<const double> samples) {
    std::vector<double> levels;  // medians of neighbours, at `places`
    std::vector<double> places;
    const std::size_t groups = std::min(samples.size(), most_for_slopes);
    for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t first = g * samples.size() / groups;
        const std::size_t end = (g + 1) * samples.size() / groups;
        std::vector<double> run(samples.begin() + static_cast<std::ptrdiff_t>(first),
                                samples.begin() + static_cast<std::ptrdiff_t>(end));
        levels.push_back(median_in_place(run));
        places.push_back(0.5 * static_cast<double>(first + end - 1));
    }
    if (groups < 2) return 0;
    std::vector<double> slopes;
    slopes.reserve(groups * (groups - 1) / 2);
    for (std::size_t i = 0; i < groups; ++i) {
        for (std::size_t j = i + 1; j < groups; ++j)
            slopes.push_back((levels[j] - levels[i]) / (places[j] - places[i]));
    }
    return median_in_place(slopes);
}

double relative_drift(std::span<const double> samples) {
    const double median = percentile(samples, 50);
    if (!(median > 0)) return 0;
    return drift_slope(samples) * static_cast<double>(samples.size() - 1) / median;
}

}  // namespace workbench
