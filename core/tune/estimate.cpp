// SPDX-License-Identifier: MIT
#include "core/tune/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/benchmark/statistics.h"
#include "core/support/escaped.h"

namespace workbench::tune {

namespace {

constexpr std::size_t least_unmarked = 5;
constexpr int resamples = 400;

template <class E, std::size_t count>
std::optional<E> value_named(const std::array<std::string_view, count>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<E>(found - names.begin());
}
template <class E, std::size_t count>
std::string_view name_at(const std::array<std::string_view, count>& names, E value) {
    return names[static_cast<std::size_t>(value)];
}
constexpr std::array<std::string_view, 3> objective_names{"both", "op", "use"};
constexpr std::array<std::string_view, 5> status_names{"ok", "pruned", "invalid", "wrong", "failed"};
constexpr std::array<std::string_view, 4> state_names{"ok", "unstable", "contended", "wrong"};

const Sample* of_round(std::span<const Sample> samples, int round) {
    const auto found = std::ranges::find(samples, round, &Sample::round);
    return found == samples.end() ? nullptr : &*found;
}

double median_of(std::span<const Pairs::One> pairs, double Pairs::One::*value) {
    std::vector<double> values;
    values.reserve(pairs.size());
    for (const Pairs::One& one : pairs) values.push_back(one.*value);
    return median_in_place(values);
}

}  // namespace

Result<Objective> objective_from_name(std::string_view name) {
    if (const auto found = value_named<Objective>(objective_names, name)) return *found;
    return fail(ErrorKind::bad_argument, "objective \"" + escaped(name) + "\" is not one of both, op, use");
}
std::string_view name_of(Objective objective) {
    return name_at(objective_names, objective);
}
std::string_view name_of(Status status) {
    return name_at(status_names, status);
}
std::optional<Status> status_from_name(std::string_view name) {
    return value_named<Status>(status_names, name);
}
std::string_view name_of(VisitState state) {
    return name_at(state_names, state);
}
std::optional<VisitState> visit_state_from_name(std::string_view name) {
    return value_named<VisitState>(state_names, name);
}

std::size_t Measurement::marked() const {
    return static_cast<std::size_t>(std::ranges::count(samples, true, &Sample::marked));
}

const Measurement* Visit::of(std::string_view config) const {
    const auto found = std::ranges::find(measurements, config, &Measurement::config);
    return found == measurements.end() ? nullptr : &*found;
}

Pairs pairs_of(std::span<const Sample> config, std::span<const Sample> first,
               std::span<const Sample> second) {
    Pairs pairs;
    for (const Sample& sample : config) {
        const Sample* const a = of_round(first, sample.round);
        const Sample* const b = of_round(second, sample.round);
        if (a == nullptr || b == nullptr) continue;
        pairs.all.push_back(
            {.round = sample.round,
             .ln_op = std::log(sample.op_ms) - (std::log(a->op_ms) + std::log(b->op_ms)) / 2,
             .ln_use = std::log(sample.use_ms) - (std::log(a->use_ms) + std::log(b->use_ms)) / 2,
             .marked = sample.marked || a->marked || b->marked});
    }
    return pairs;
}

bool Pairs::are_disturbed() const {
    const auto marked = static_cast<std::size_t>(std::ranges::count(all, true, &One::marked));
    return all.size() - marked < std::min(least_unmarked, all.size());
}

std::vector<Pairs::One> Pairs::counted() const {
    if (are_disturbed()) return all;
    std::vector<One> unmarked;
    std::ranges::copy_if(all, std::back_inserter(unmarked), [](const One& one) { return !one.marked; });
    return unmarked;
}

double Logs::y(Objective objective) const {
    switch (objective) {
        case Objective::op:
            return op;
        case Objective::use:
            return use;
        case Objective::both:
            break;
    }
    return std::max(op, use);
}

Logs medians_of(std::span<const Pairs::One> pairs) {
    return {median_of(pairs, &Pairs::One::ln_op), median_of(pairs, &Pairs::One::ln_use)};
}

LogInterval interval_of(std::span<const Pairs::One> pairs, Objective objective, std::uint64_t seed) {
    const Logs logs = medians_of(pairs);
    const bool of_op = objective == Objective::op || (objective == Objective::both && logs.op >= logs.use);
    std::vector<double> values;
    for (const Pairs::One& one : pairs) values.push_back(of_op ? one.ln_op : one.ln_use);
    const Interval interval = median_interval(values, {.resamples = resamples, .seed = seed});
    return {interval.low, interval.high};
}

std::optional<Figures> figures_of(std::span<const Sample> samples, const Pairs& pairs, Objective objective,
                                  std::uint64_t seed) {
    if (pairs.all.empty()) return std::nullopt;
    std::vector<double> op;
    std::vector<double> use;
    for (const Sample& sample : samples) {
        op.push_back(sample.op_ms);
        use.push_back(sample.use_ms);
    }
    const SampleStatistics statistics = summarise(op);
    const auto counted = pairs.counted();
    const Logs logs = medians_of(counted);
    const LogInterval interval = interval_of(counted, objective, seed);
    return Figures{.op_ms_min = statistics.min,
                   .op_ms_p50 = statistics.p50,
                   .op_ms_mad = statistics.median_absolute_deviation,
                   .use_ms_p50 = median_in_place(use),
                   .ln_op = logs.op,
                   .ln_use = logs.use,
                   .ln_low = interval.low,
                   .ln_high = interval.high};
}

}  // namespace workbench::tune
