// SPDX-License-Identifier: MIT
#include "core/tune/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/benchmark/statistics.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/tune/estimate.h"
#include "core/tune/latency.h"
#include "core/tune/seeds.h"

namespace workbench::tune {

namespace {

constexpr double slower_above = 1.02;

struct Judged {
    const MeasuredProblem* problem = nullptr;
    ProblemLogs logs;
    Ranking ranking;
    double best = 0;  // fairly
    ProblemRegret regret;
};

double fair_y(const ConfigLogs& config) {
    return (config.y_odd + config.y_even) / 2;
}

const ConfigLogs* logs_named(const ProblemLogs& logs, const std::string& config) {
    const auto found = std::ranges::find(logs.configs, config, &ConfigLogs::config);
    return found == logs.configs.end() ? nullptr : &*found;
}

// fair_best() of the first k of an order alone, without static unless it is among them.
double fair_best_of_first(const Judged& judged, std::size_t k) {
    std::vector<ConfigLogs> first;
    for (const std::string& config : judged.ranking.order) {
        if (first.size() == k) break;
        first.push_back(*logs_named(judged.logs, config));
    }
    return fair_best(first, std::vector<bool>(first.size(), true));
}

// The median time of a call by a config over the visits that count, in milliseconds.
std::map<std::string, double> times_of(const MeasuredProblem& problem, const HeadroomOptions& options) {
    std::map<std::string, std::vector<double>> times;
    for (const Visit& visit : problem.visits) {
        if (!counts(visit, options)) continue;
        for (const Measurement& one : visit.measurements)
            if (one.figures) times[one.config].push_back(one.figures->op_ms_p50);
    }
    std::map<std::string, double> medians;
    for (auto& [config, values] : times) medians[config] = median_in_place(values);
    return medians;
}

// The 95 % interval of a config's logarithm, of the pairs of all visits that count.
LogInterval interval_over_visits(const MeasuredProblem& problem, const std::string& config,
                                 const HeadroomOptions& options) {
    if (config == static_text) return {0, 0};
    std::vector<Pairs::One> pairs;
    for (const Visit& visit : problem.visits) {
        if (!counts(visit, options)) continue;
        const Measurement* const one = visit.of(config);
        if (one == nullptr) continue;
        const auto some =
            pairs_of(one->samples, visit.of(static_text)->samples, visit.of(second_static_text)->samples)
                .counted();
        pairs.insert(pairs.end(), some.begin(), some.end());
    }
    return interval_of(pairs, options.objective, seed_of(1, problem.spec));
}

std::vector<std::string> names_of(const ProblemLogs& logs) {
    std::vector<std::string> names;
    for (const ConfigLogs& config : logs.configs) names.push_back(config.config);
    return names;
}

Result<void> check_ranking(const Ranking& ranking, const Judged& judged) {
    const bool all_known = std::ranges::all_of(
        ranking.order, [&](const std::string& config) { return logs_named(judged.logs, config) != nullptr; });
    if (ranking.order.empty() || !all_known || logs_named(judged.logs, ranking.decision) == nullptr ||
        (!ranking.gains.empty() && ranking.gains.size() != judged.logs.configs.size()))
        return fail(ErrorKind::bad_argument,
                    judged.problem->spec + ": the ranking is not one of the configs that were measured");
    return {};
}

// The config, static where it was not measured, whose ratios have the least geometric mean.
std::string best_single_of(const std::vector<Judged>& all) {
    std::map<std::string, double> sums;
    for (const Judged& judged : all)
        for (const ConfigLogs& config : judged.logs.configs) sums[config.config] += fair_y(config);
    std::string best(static_text);
    double least = 0;
    for (const auto& [config, sum] : sums) {
        if (sum >= least) continue;
        least = sum;
        best = config;
    }
    return best;
}

void judge_regret(Judged& judged, const std::string& single, const EvaluateOptions& options) {
    ProblemRegret& regret = judged.regret;
    const ProblemLogs& logs = judged.logs;
    regret.spec = judged.problem->spec;
    regret.key = judged.problem->key;
    regret.family = judged.problem->family;
    regret.decision = judged.ranking.decision;
    regret.best = std::ranges::min_element(logs.configs, {}, &ConfigLogs::y)->config;
    regret.noise = std::exp(std::abs(fair_y(logs.second_static)));
    regret.static_regret = std::exp(-judged.best);
    double sum = 0;
    for (const ConfigLogs& config : logs.configs) sum += std::exp(fair_y(config) - judged.best);
    regret.random_regret = sum / static_cast<double>(logs.configs.size());
    const ConfigLogs* const one = logs_named(logs, single);
    regret.single_regret = std::exp((one == nullptr ? 0 : fair_y(*one)) - judged.best);
    regret.decision_ratio = std::exp(fair_y(*logs_named(logs, regret.decision)));
    const LogInterval interval = interval_over_visits(*judged.problem, regret.decision, options.of);
    regret.decision_low = std::exp(interval.low);
    regret.decision_high = std::exp(interval.high);
    for (const std::size_t k : options.k)
        regret.by_k.push_back(std::exp(fair_best_of_first(judged, k) - judged.best));
}

Distribution over(const std::vector<Judged>& all, double ProblemRegret::*value) {
    std::vector<double> ratios;
    for (const Judged& judged : all) ratios.push_back(judged.regret.*value);
    return distribution_of(ratios);
}

double part_above(const std::vector<double>& ratios, double limit) {
    const auto above = std::ranges::count_if(ratios, [limit](double ratio) { return ratio > limit; });
    return static_cast<double>(above) / static_cast<double>(ratios.size());
}

RegretByK by_k(const std::vector<Judged>& all, std::size_t which, std::size_t k,
               const EvaluateOptions& options) {
    std::vector<double> ratios;
    double timed = 0;
    double total = 0;
    for (const Judged& judged : all) {
        ratios.push_back(judged.regret.by_k[which]);
        const auto times = times_of(*judged.problem, options.of);
        for (const ConfigLogs& config : judged.logs.configs) total += times.at(config.config);
        const auto& order = judged.ranking.order;
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(k, order.size()));
        for (auto at = order.begin(); at != end; ++at) timed += times.at(*at);
        if (std::find(order.begin(), end, static_text) == end) timed += times.at(std::string(static_text));
    }
    return {.k = k,
            .regret = distribution_of(ratios),
            .within_2_percent = 1 - part_above(ratios, slower_above),
            .time_share = timed / total};
}

// Ranks from 1 on, equals sharing the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
        const double rank = static_cast<double>(i + 1 + end) / 2;
        for (; i < end; ++i) ranks[order[i]] = rank;
    }
    return ranks;
}

// Spearman's rank correlation; absent where one of the two has no order.
std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b) {
    const auto x = ranks_of(a);
    const auto y = ranks_of(b);
    const double mean = static_cast<double>(x.size() + 1) / 2;
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    if (xx == 0 || yy == 0) return std::nullopt;
    return xy / std::sqrt(xx * yy);
}

double root_mean_square(const std::vector<double>& errors) {
    double sum = 0;
    for (const double error : errors) sum += error * error;
    return std::sqrt(sum / static_cast<double>(errors.size()));
}

void add_predictions(const std::vector<Judged>& all, const EvaluateOptions& options, Evaluation& made) {
    std::vector<double> gains;
    std::vector<double> levels;
    std::vector<double> correlations;
    for (const Judged& judged : all) {
        const auto level = level_of(*judged.problem, options.of);
        if (level && judged.ranking.level) levels.push_back(*judged.ranking.level - *level);
        if (judged.ranking.gains.empty()) continue;
        std::vector<double> measured;
        for (std::size_t i = 0; i < judged.logs.configs.size(); ++i) {
            measured.push_back(judged.logs.configs[i].y);
            if (i > 0) gains.push_back(judged.ranking.gains[i] - measured.back());
        }
        if (const auto correlation = spearman(judged.ranking.gains, measured))
            correlations.push_back(*correlation);
    }
    if (!gains.empty()) made.gain_rmse = root_mean_square(gains);
    if (!levels.empty()) made.level_rmse = root_mean_square(levels);
    if (!correlations.empty())
        made.gain_spearman = std::accumulate(correlations.begin(), correlations.end(), 0.0) /
                             static_cast<double>(correlations.size());
}

nlohmann::ordered_json json_of(const Distribution& d) {
    return {{"geomean", d.geomean}, {"p50", d.p50}, {"p95", d.p95}, {"max", d.max}};
}

nlohmann::ordered_json json_of(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string quoted_cell(const std::string& text) {
    return text.find(',') == std::string::npos ? text : "\"" + text + "\"";
}

}  // namespace

std::optional<double> level_of(const MeasuredProblem& problem, const HeadroomOptions& options) {
    std::vector<double> levels;
    for (const Visit& visit : problem.visits) {
        if (!counts(visit, options)) continue;
        const Measurement* const copy = visit.of(copy_text);
        const Measurement* const one = visit.of(static_text);
        if (copy == nullptr || !copy->figures || !one->figures) continue;
        levels.push_back(std::log(one->figures->op_ms_p50 / copy->figures->op_ms_p50));
    }
    if (levels.empty()) return std::nullopt;
    return median_in_place(levels);
}

Result<Evaluation> evaluate(const Measurements& all, const Ranker& ranker, const EvaluateOptions& options) {
    Evaluation made;
    std::vector<Judged> judged;
    for (const MeasuredProblem& problem : all.problems) {
        if (!options.of.set.empty() && problem.set != options.of.set) continue;
        auto logs = logs_of(problem, options.of);
        if (!logs) {
            ++made.not_measured;
        } else if (logs->is_unstable) {
            ++made.unstable;
        } else {
            Judged& one = judged.emplace_back();
            one.problem = &problem;
            one.logs = std::move(*logs);
            one.best = fair_best(one.logs.configs, std::vector<bool>(one.logs.configs.size(), true));
            IIR2D_TRY(one.ranking, ranker(problem, names_of(one.logs)));
            IIR2D_RETURN_IF_ERROR(check_ranking(one.ranking, one));
        }
    }
    if (judged.empty())
        return fail(ErrorKind::bad_argument, "there is no problem to judge by: of those asked for " +
                                                 std::to_string(made.unstable) + " are unstable and " +
                                                 std::to_string(made.not_measured) +
                                                 " have no visit that counts");
    made.problems = judged.size();
    made.single = best_single_of(judged);
    for (Judged& one : judged) judge_regret(one, made.single, options);
    made.noise = over(judged, &ProblemRegret::noise);
    made.of_static = over(judged, &ProblemRegret::static_regret);
    made.random = over(judged, &ProblemRegret::random_regret);
    made.best_single = over(judged, &ProblemRegret::single_regret);
    for (std::size_t i = 0; i < options.k.size(); ++i)
        made.by_k.push_back(by_k(judged, i, options.k[i], options));
    made.decision_geomean = over(judged, &ProblemRegret::decision_ratio).geomean;
    std::vector<double> decisions;
    std::vector<double> seconds;
    for (const Judged& one : judged) {
        decisions.push_back(one.regret.decision_ratio);
        seconds.push_back(std::exp(fair_y(one.logs.second_static)));
        if (one.regret.decision_low > slower_above) made.surely_slower.push_back(one.regret.spec);
    }
    made.decision_slower = part_above(decisions, slower_above);
    made.second_static_slower = part_above(seconds, slower_above);
    add_predictions(judged, options, made);
    for (Judged& one : judged) made.each.push_back(std::move(one.regret));
    std::ranges::stable_sort(made.each, std::greater(), [](const ProblemRegret& one) {
        return one.by_k.empty() ? one.decision_ratio * one.static_regret : one.by_k.front();
    });
    return made;
}

std::string to_csv(const Evaluation& evaluation) {
    std::string text =
        "spec,key,family,best,decision,noise,static,random,best_single,decision_to_static,"
        "decision_low,decision_high";
    for (const RegretByK& one : evaluation.by_k) text += ",regret_" + std::to_string(one.k);
    text += "\n";
    for (const ProblemRegret& one : evaluation.each) {
        for (const std::string* cell : {&one.spec, &one.key, &one.family, &one.best})
            text += quoted_cell(*cell) + ",";
        text += one.decision;
        for (const double value : {one.noise, one.static_regret, one.random_regret, one.single_regret,
                                   one.decision_ratio, one.decision_low, one.decision_high})
            text += "," + format_number(value);
        for (const double value : one.by_k) text += "," + format_number(value);
        text += "\n";
    }
    return text;
}

std::string to_json(const Evaluation& evaluation, std::size_t worst, const DecisionTimes* times) {
    using Json = nlohmann::ordered_json;
    Json by_k = Json::array();
    for (const RegretByK& one : evaluation.by_k) {
        Json row{{"k", one.k}};
        row.update(json_of(one.regret));
        row["within_2_percent"] = one.within_2_percent;
        row["time_share"] = one.time_share;
        by_k.push_back(std::move(row));
    }
    Json rows = Json::array();
    for (std::size_t i = 0; i < std::min(worst, evaluation.each.size()); ++i) {
        const ProblemRegret& one = evaluation.each[i];
        rows.push_back({{"spec", one.spec},
                        {"key", one.key},
                        {"family", one.family},
                        {"best", one.best},
                        {"decision", one.decision},
                        {"regret", one.by_k.empty() ? Json() : Json(one.by_k.front())},
                        {"static", one.static_regret},
                        {"decision_to_static", one.decision_ratio},
                        {"decision_interval", {one.decision_low, one.decision_high}},
                        {"noise", one.noise}});
    }
    Json all{
        {"problems", evaluation.problems},
        {"unstable", evaluation.unstable},
        {"not_measured", evaluation.not_measured},
        {"noise", json_of(evaluation.noise)},
        {"static", json_of(evaluation.of_static)},
        {"random", json_of(evaluation.random)},
        {"best_single",
         [&] {
             Json single = json_of(evaluation.best_single);
             single["config"] = evaluation.single;
             return single;
         }()},
        {"by_k", std::move(by_k)},
        {"decision",
         {{"geomean_to_static", evaluation.decision_geomean},
          {"slower_than_2_percent", evaluation.decision_slower},
          {"second_static_slower_than_2_percent", evaluation.second_static_slower},
          {"surely_slower", evaluation.surely_slower.size()},
          {"surely_slower_specs", evaluation.surely_slower}}},
        {"level", {{"rmse", json_of(evaluation.level_rmse)}}},
        {"gain", {{"rmse", json_of(evaluation.gain_rmse)}, {"spearman", json_of(evaluation.gain_spearman)}}},
        {"worst", std::move(rows)}};
    if (times != nullptr)
        all["latency"] = {{"problems", times->problems},
                          {"load_ms", times->load_ms},
                          {"fresh_us", {{"p50", times->fresh_us_p50}, {"p99", times->fresh_us_p99}}},
                          {"cached_us", {{"p50", times->cached_us_p50}, {"p99", times->cached_us_p99}}}};
    return all.dump(2) + "\n";
}

}  // namespace workbench::tune
