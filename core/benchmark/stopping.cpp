// SPDX-License-Identifier: MIT
#include "core/benchmark/stopping.h"

#include <algorithm>

#include "core/benchmark/statistics.h"

namespace workbench {

std::string_view name_of(StopReason reason) {
    switch (reason) {
        case StopReason::precision:
            return "precision";
        case StopReason::most_samples:
            return "most samples";
        case StopReason::most_time:
            return "most time";
        case StopReason::iterations:
            break;
    }
    return "iterations";
}

std::string wrong_with(const StoppingRule& rule) {
    if (!(rule.precision > 0 && rule.precision < 1))
        return "the precision is out of range: give more than 0 and less than 100 %";
    if (rule.least < 5 || rule.least > 1'000'000)
        return "the least number of samples is out of range: give 5 to 1000000";
    if (rule.most < rule.least || rule.most > 1'000'000)
        return "the most samples are out of range: give " + std::to_string(rule.least) + " to 1000000";
    if (!(rule.most_seconds > 0 && rule.most_seconds <= 86'400))
        return "the most seconds are out of range: give more than 0 and at most 86400";
    return {};
}

bool is_precise(std::span<const double> samples, double precision) {
    const double median = percentile(samples, 50);
    const Interval interval = median_interval(samples);
    return interval.low >= median * (1 - precision) && interval.high <= median * (1 + precision);
}

std::optional<StopReason> stop_reason(const StoppingRule& rule, std::span<const double> samples,
                                      double seconds) {
    const auto least = static_cast<std::size_t>(rule.least);
    std::size_t due = least;
    while (due < samples.size()) due += std::max<std::size_t>(1, due / 10);
    if (samples.size() == due && is_precise(samples, rule.precision)) return StopReason::precision;
    if (samples.size() >= static_cast<std::size_t>(rule.most)) return StopReason::most_samples;
    if (samples.size() >= least && seconds >= rule.most_seconds) return StopReason::most_time;
    return std::nullopt;
}

std::string inconclusive_reason(std::size_t preempted, std::size_t count, double most_disturbed,
                                std::string_view throttled) {
    if (!throttled.empty()) return "the GPU's clocks were held back: " + std::string(throttled);
    if (static_cast<double>(preempted) > most_disturbed * static_cast<double>(count))
        return "preempted in " + std::to_string(preempted) + " of " + std::to_string(count) + " samples";
    return {};
}

}  // namespace workbench
