// SPDX-License-Identifier: MIT
// When a case has been measured enough, and when its samples are too disturbed to say anything.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace workbench {

// Until the 95 % interval of the median is within `precision` of it on either side. Both counts include the
// sample at hand; the time is that of the measured iterations of one case, the copies included.
struct StoppingRule {
    double precision = 0.01;   // relative, above 0 and below 1
    int least = 20;            // samples, at least 5
    int most = 1000;           // at least `least`, at most 1'000'000
    double most_seconds = 60;  // above 0, at most a day
    friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

enum class StopReason { iterations, precision, most_samples, most_time };
std::string_view name_of(StopReason reason);  // "iterations", "precision", "most samples", "most time"

// Says what is wrong with a rule, in a sentence; empty: nothing.
std::string wrong_with(const StoppingRule& rule);

// Returns whether the interval of these samples' median is that narrow. Precondition: not empty.
bool is_precise(std::span<const double> samples, double precision);

// Says why to stop after these samples, or nothing. The interval is looked at when the count is `least` and
// then each time it has grown by a tenth: a bootstrap costs more than most samples.
std::optional<StopReason> stop_reason(const StoppingRule& rule, std::span<const double> samples,
                                      double seconds);

// Says why samples are inconclusive; empty: they are not. Preempted in more than `most_disturbed` of them, or
// a GPU's clocks were held back by `throttled`.
std::string inconclusive_reason(std::size_t preempted, std::size_t count, double most_disturbed,
                                std::string_view throttled);

}  // namespace workbench
