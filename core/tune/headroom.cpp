// SPDX-License-Identifier: MIT
#include "core/tune/headroom.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/benchmark/statistics.h"
#include "core/support/counted.h"
#include "core/support/listed.h"
#include "core/support/markdown.h"
#include "core/tune/estimate.h"

namespace workbench::tune {

namespace {

constexpr double unstable_above = 0.10;
constexpr std::array<std::string_view, 13> knobs{"threads", "stores", "share", "part",  "strip",
                                                 "way",     "task",   "block", "steps", "pairs",
                                                 "graph",   "warps",  "carry"};
constexpr std::size_t knobs_of_cpu = 7;

// Those that a table has columns for: the CPU's, or the GPU's where one of them was measured.
std::span<const std::string_view> columns_of(const Headroom& headroom) {
    const std::span<const std::string_view> all(knobs);
    const auto of_gpus = all.subspan(knobs_of_cpu);
    const auto is_of_gpus = [&](const KnobGain& one) {
        return std::ranges::find(of_gpus, std::string_view(one.knob)) != of_gpus.end();
    };
    const bool any = headroom.overall && std::ranges::any_of(headroom.overall->knobs, is_of_gpus);
    return any ? of_gpus : all.first(knobs_of_cpu);
}

// A config's logarithms, visit by visit.
struct PerVisit {
    std::vector<double> op, use;
    Logs median() const {
        std::vector<double> of_op = op;
        std::vector<double> of_use = use;
        return {median_in_place(of_op), median_in_place(of_use)};
    }
    void add(const std::vector<Pairs::One>& pairs) {
        const Logs logs = medians_of(pairs);
        op.push_back(logs.op);
        use.push_back(logs.use);
    }
};
struct ConfigVisits {
    PerVisit all, odd, even;
    std::vector<double> y;  // of each visit
};

void add_visit(const Visit& visit, const Measurement& one, Objective objective, ConfigVisits& into) {
    const auto counted =
        pairs_of(one.samples, visit.of(static_text)->samples, visit.of(second_static_text)->samples)
            .counted();
    if (counted.empty()) return;
    std::vector<Pairs::One> odd;
    std::vector<Pairs::One> even;
    for (const Pairs::One& pair : counted) (pair.round % 2 == 1 ? odd : even).push_back(pair);
    into.all.add(counted);
    into.odd.add(odd.empty() ? counted : odd);
    into.even.add(even.empty() ? counted : even);
    into.y.push_back(medians_of(counted).y(objective));
}

ConfigLogs logs_of_config(const std::string& config, const ConfigVisits& visits, Objective objective) {
    return {config, visits.all.median().y(objective), visits.odd.median().y(objective),
            visits.even.median().y(objective)};
}

// The knob of a config that sets one alone.
std::string_view only_knob(std::string_view config) {
    if (config == static_text || config.find(' ') != std::string_view::npos) return {};
    return config.substr(0, config.find(':'));
}

// What the problems of a family add up to.
struct Gathered {
    std::vector<double> headroom;
    std::vector<double> noise;
    std::map<std::string_view, std::vector<double>> knobs;

    void add(const ProblemLogs& problem) {
        std::vector<bool> which(problem.configs.size(), true);
        headroom.push_back(std::exp(-fair_best(problem.configs, which)));
        noise.push_back(std::exp(std::abs((problem.second_static.y_odd + problem.second_static.y_even) / 2)));
        for (const std::string_view knob : tune::knobs) {
            for (std::size_t i = 0; i < which.size(); ++i)
                which[i] = only_knob(problem.configs[i].config) == knob;
            if (std::ranges::find(which, true) == which.end()) continue;
            knobs[knob].push_back(std::exp(-fair_best(problem.configs, which)));
        }
    }
    FamilyHeadroom figures(std::string family) const {
        FamilyHeadroom made{.family = std::move(family),
                            .problems = headroom.size(),
                            .headroom = distribution_of(headroom),
                            .noise = distribution_of(noise),
                            .knobs = {}};
        for (const std::string_view knob : tune::knobs) {
            const auto found = knobs.find(knob);
            if (found != knobs.end())
                made.knobs.push_back(
                    {std::string(knob), found->second.size(), distribution_of(found->second)});
        }
        return made;
    }
};

std::vector<std::string> cells_of(const FamilyHeadroom& family, std::span<const std::string_view> columns) {
    const auto brief = [](double ratio) {
        std::array<char, 32> text{};  // whatever the locale of the process
        const auto end = std::to_chars(text.begin(), text.end(), ratio, std::chars_format::fixed, 3);
        return std::string(text.data(), end.ptr);
    };
    std::vector<std::string> cells{markdown_escaped(family.family), std::to_string(family.problems),
                                   brief(family.headroom.geomean),  brief(family.headroom.p50),
                                   brief(family.headroom.p95),      brief(family.headroom.max),
                                   brief(family.noise.geomean),     brief(family.noise.p95)};
    for (const std::string_view knob : columns) {
        const auto found = std::ranges::find(family.knobs, knob, &KnobGain::knob);
        cells.push_back(found == family.knobs.end()
                            ? ""
                            : brief(found->gain.geomean) + " (" + brief(found->gain.p95) + ")");
    }
    return cells;
}

}  // namespace

bool counts(const Visit& visit, const HeadroomOptions& options) {
    if (visit.of(static_text) == nullptr || visit.of(second_static_text) == nullptr) return false;
    switch (visit.state) {
        case VisitState::ok:
        case VisitState::unstable:
            return true;
        case VisitState::contended:
            return options.with_contended;
        case VisitState::wrong:
            break;
    }
    return false;
}

Distribution distribution_of(const std::vector<double>& ratios) {
    double sum = 0;
    for (const double ratio : ratios) sum += std::log(ratio);
    return {.geomean = std::exp(sum / static_cast<double>(ratios.size())),
            .p50 = percentile(ratios, 50),
            .p95 = percentile(ratios, 95),
            .max = std::ranges::max(ratios)};
}

std::optional<ProblemLogs> logs_of(const MeasuredProblem& problem, const HeadroomOptions& options) {
    std::map<std::string, ConfigVisits> configs;  // by text, which is the order of equals
    ConfigVisits second;
    bool any = false;
    for (const Visit& visit : problem.visits) {
        if (!counts(visit, options)) continue;
        any = true;
        for (const Measurement& one : visit.measurements) {
            if (one.samples.empty() || one.config == copy_text || one.config == static_text) continue;
            add_visit(visit, one, options.objective,
                      one.config == second_static_text ? second : configs[one.config]);
        }
    }
    if (!any || second.y.empty()) return std::nullopt;
    ProblemLogs made;
    made.configs.push_back({std::string(static_text), 0, 0, 0});
    made.second_static = logs_of_config(std::string(second_static_text), second, options.objective);
    const std::vector<double>* best = nullptr;
    double least = 0;
    for (const auto& [config, visits] : configs) {
        if (visits.y.empty()) continue;
        made.configs.push_back(logs_of_config(config, visits, options.objective));
        if (made.configs.back().y >= least) continue;
        least = made.configs.back().y;
        best = &visits.y;
    }
    made.is_unstable = best != nullptr && std::ranges::max(*best) - std::ranges::min(*best) > unstable_above;
    return made;
}

double fair_best(const std::vector<ConfigLogs>& configs, const std::vector<bool>& which) {
    const ConfigLogs* by_odd = &configs.front();
    const ConfigLogs* by_even = &configs.front();
    for (std::size_t i = 1; i < configs.size(); ++i) {
        if (!which[i]) continue;
        if (configs[i].y_odd < by_odd->y_odd) by_odd = &configs[i];
        if (configs[i].y_even < by_even->y_even) by_even = &configs[i];
    }
    return (by_odd->y_even + by_even->y_odd) / 2;
}

Headroom headroom_of(const Measurements& all, const HeadroomOptions& options) {
    Headroom made;
    Gathered overall;
    std::map<std::string, Gathered> families;
    for (const MeasuredProblem& problem : all.problems) {
        if (!options.set.empty() && problem.set != options.set) continue;
        for (const Visit& visit : problem.visits) {
            made.contended_visits += visit.state == VisitState::contended ? 1U : 0U;
            made.unstable_visits += visit.state == VisitState::unstable ? 1U : 0U;
            made.wrong_visits += visit.state == VisitState::wrong ? 1U : 0U;
        }
        const auto logs = logs_of(problem, options);
        if (!logs) {
            ++made.not_measured;
        } else if (logs->is_unstable) {
            ++made.unstable;
        } else {
            overall.add(*logs);
            families[problem.family].add(*logs);
        }
    }
    if (!overall.headroom.empty()) made.overall = overall.figures("all");
    for (const auto& [family, gathered] : families) made.families.push_back(gathered.figures(family));
    return made;
}

std::vector<std::string_view> knobs_below_gate(const Headroom& headroom) {
    std::vector<std::string_view> below;
    for (const std::string_view knob : knobs) {
        bool any = false;
        bool all_below = true;
        for (const FamilyHeadroom& family : headroom.families) {
            const auto found = std::ranges::find(family.knobs, knob, &KnobGain::knob);
            if (found == family.knobs.end()) continue;
            any = true;
            all_below = all_below && found->gain.geomean < 1.01 && found->gain.p95 < 1.05;
        }
        if (any && all_below) below.push_back(knob);
    }
    return below;
}

std::string to_markdown(const Headroom& headroom, const HeadroomOptions& options) {
    std::vector<std::string> head{"family", "problems", "static / best", "p50",
                                  "p95",    "max",      "noise",         "noise p95"};
    const auto columns = columns_of(headroom);
    for (const std::string_view knob : columns) head.push_back("`" + std::string(knob) + "`");
    std::string text = "Ratios of times by the objective `" + std::string(name_of(options.objective)) +
                       "`, geometric means; of a knob its best value alone, with p95 in brackets.\n\n" +
                       markdown_row(head) + markdown_row(std::vector<std::string>(head.size(), "---"));
    for (const FamilyHeadroom& family : headroom.families) text += markdown_row(cells_of(family, columns));
    if (headroom.overall) text += markdown_row(cells_of(*headroom.overall, columns));
    text += "\nLeft out: " + counted(headroom.unstable, "problem") +
            " whose best config differs by more than " + "0.10 between visits, " +
            std::to_string(headroom.not_measured) + " without a visit that counts, " +
            counted(headroom.wrong_visits, "wrong visit") +
            (options.with_contended ? "" : " and " + counted(headroom.contended_visits, "contended visit")) +
            ". In " + counted(headroom.unstable_visits, "visit") + " disturbed rounds count.\n";
    std::vector<std::string> below;
    for (const std::string_view knob : knobs_below_gate(headroom))
        below.push_back("`" + std::string(knob) + "`");
    if (!below.empty()) text += "Below 1 % (p95 below 5 %) in every family: " + joined(below, ", ") + ".\n";
    return text;
}

}  // namespace workbench::tune
