// SPDX-License-Identifier: MIT
#include "core/evidence/compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/record/command_line.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/listed.h"
#include "core/support/shell.h"

namespace workbench {

namespace {

constexpr std::array<std::pair<Metric, std::string_view>, 3> metrics = {
    {{Metric::ratio_to_copy, "ratio-to-copy"},
     {Metric::latency, "latency"},
     {Metric::throughput, "throughput"}}};

CaseFigures figures_of(const CaseResult& c, const std::vector<double>& costs,
                       const CompareSettings& settings) {
    const std::size_t preempted = preempted_count(c.samples);
    if (costs.empty()) return {.key = c.what.key, .p50_interval = {}, .preempted = preempted};
    const MetricFigures shown = figures_of_costs(costs, settings.metric, settings.bootstrap);
    return {.key = c.what.key,
            .count = costs.size(),
            .p50 = shown.p50,
            .p95 = shown.p95,
            .p50_interval = shown.p50_interval,
            .drift = relative_drift(costs),
            .preempted = preempted};
}

struct Judged {
    double cost_ratio = 1;
    Interval interval;
    MannWhitney test;
    Verdict verdict = Verdict::ambiguous;
};

Judged judge(const std::vector<double>& before, const std::vector<double>& after, const CompareSettings& s) {
    Judged j{.cost_ratio = percentile(after, 50) / percentile(before, 50),
             .interval = median_ratio_interval(after, before, s.bootstrap),
             .test = mann_whitney(after, before)};
    const double above = 1 + s.margin;
    const bool sure = j.test.p_value < s.significance;
    if (j.interval.low >= 1 / above && j.interval.high <= above) {
        j.verdict = Verdict::same;
    } else if (sure && j.interval.low > 1 && j.cost_ratio > above) {
        j.verdict = Verdict::slower;
    } else if (sure && j.interval.high < 1 && j.cost_ratio < 1 / above) {
        j.verdict = Verdict::faster;
    }
    return j;
}

// Says why the samples allow no verdict, whatever their figures would give; empty: they do.
std::string doubt(const CaseComparison& c, const CaseResult& base, const CaseResult& now,
                  const CompareSettings& settings) {
    if (!throttled_by(base).empty() || !throttled_by(now).empty()) return "no verdict from throttled samples";
    if (!base.inconclusive.empty()) return "no verdict: base is inconclusive, " + base.inconclusive;
    if (!now.inconclusive.empty()) return "no verdict: new is inconclusive, " + now.inconclusive;
    if (std::abs(c.base.drift) > settings.margin || std::abs(c.now.drift) > settings.margin)
        return "no verdict from samples that drift by more than the margin";
    if (c.verdict == Verdict::same || c.verdict == Verdict::ambiguous || settings.allow_unlike) return {};
    // A program that changed is slower both by the clock and beside the copy. Where only one says so, the
    // machine or the copy changed.
    const Metric other = settings.metric == Metric::ratio_to_copy ? Metric::latency : Metric::ratio_to_copy;
    const auto before = costs_of(base, other);
    const auto after = costs_of(now, other);
    if (before.empty() || after.empty()) return {};
    const Verdict second = judge(before, after, settings).verdict;
    if (second == c.verdict) return {};
    return "no verdict: by " + std::string(name_of(settings.metric)) + " it is " +
           std::string(name_of(c.verdict)) + ", by " + std::string(name_of(other)) + " " +
           std::string(name_of(second)) + ": the machine changed between the records";
}

void add_notes(CaseComparison& c, const CaseResult& base, const CaseResult& now,
               const CompareSettings& settings) {
    for (const auto& [side, word] : {std::pair(&base, "base"), std::pair(&now, "new")}) {
        if (side->failure) c.notes.push_back(std::string(word) + " was not timed: " + *side->failure);
        if (const auto reasons = throttled_by(*side); !reasons.empty())
            c.notes.push_back(std::string(word) + " was throttled: " + reasons);
    }
    for (const auto& [side, word] : {std::pair(&c.base, "base"), std::pair(&c.now, "new")}) {
        if (std::abs(side->drift) > settings.margin) {
            c.notes.push_back(std::string(word) + " drifts by " + percent_text(side->drift) +
                              " over its samples");
        }
        if (2 * side->preempted > side->count && side->count > 0) {
            c.notes.push_back(std::string(word) + " was preempted in " + std::to_string(side->preempted) +
                              " of " + counted(side->count, "sample"));
        }
    }
    if (base.kernel.config_resolved != now.kernel.config_resolved) {
        const auto config = [](const CaseResult& r) {
            return escaped(r.kernel.config_resolved) + " (" + escaped(r.kernel.chosen_by) + ")";
        };
        c.notes.push_back("executed by another config: base " + config(base) + ", new " + config(now));
    }
    if (c.same_output == false) c.notes.emplace_back("the outputs differ bit for bit");
}

CaseComparison compare_case(const CaseResult& base, const CaseResult& now, const CompareSettings& settings) {
    CaseComparison c;
    const auto before = costs_of(base, settings.metric);
    const auto after = costs_of(now, settings.metric);
    c.base = figures_of(base, before, settings);
    c.now = figures_of(now, after, settings);
    if (!base.output_sha256.empty() && !now.output_sha256.empty())
        c.same_output = base.output_sha256 == now.output_sha256;
    add_notes(c, base, now, settings);
    if (before.empty() || after.empty()) {
        if (!base.failure && !now.failure) c.notes.insert(c.notes.begin(), "the clock was too coarse for it");
        return c;
    }
    const Judged judged = judge(before, after, settings);
    c.cost_ratio = judged.cost_ratio;
    c.ratio_interval = judged.interval;
    c.test = judged.test;
    c.verdict = judged.verdict;
    auto why = doubt(c, base, now, settings);
    const bool doubted = !why.empty();
    if (doubted && c.verdict != Verdict::ambiguous) {
        c.verdict = Verdict::ambiguous;
        c.notes.push_back(std::move(why));
    }
    const double most = 1 + settings.max_regression.value_or(0);
    c.regression = c.verdict == Verdict::slower && c.cost_ratio > most;
    c.unresolved = c.verdict == Verdict::ambiguous && settings.max_regression &&
                   (doubted || c.ratio_interval.high > most);
    return c;
}

// Returns a key without its words that start with one of `prefixes`: what `allow_unlike` lets differ.
std::string reduced(const std::string& key, std::initializer_list<std::string_view> prefixes) {
    std::string text;
    std::size_t at = 0;
    while (at <= key.size()) {
        const auto end = std::min(key.find(' ', at), key.size());
        const std::string_view word = std::string_view(key).substr(at, end - at);
        if (std::ranges::none_of(prefixes, [&](std::string_view p) { return word.starts_with(p); })) {
            text += (text.empty() ? "" : " ") + std::string(word);
        }
        at = end + 1;
    }
    return text;
}

using Pairing = std::vector<std::pair<const CaseResult*, const CaseResult*>>;

// Pairs what has the same reduced key, where that is one case on each side; paired ones leave the lists.
void pair_up(std::vector<const CaseResult*>& base, std::vector<const CaseResult*>& now, Pairing& pairs,
             std::initializer_list<std::string_view> ignored) {
    std::map<std::string, std::vector<const CaseResult*>> of_base, of_now;
    for (const auto* c : base) of_base[reduced(c->what.key, ignored)].push_back(c);
    for (const auto* c : now) of_now[reduced(c->what.key, ignored)].push_back(c);
    std::set<const CaseResult*> paired;
    for (const auto* c : base) {
        const auto key = reduced(c->what.key, ignored);
        const auto found = of_now.find(key);
        if (found == of_now.end() || found->second.size() != 1 || of_base[key].size() != 1) continue;
        pairs.emplace_back(c, found->second.front());
        paired.insert({c, found->second.front()});
    }
    const auto done = [&paired](const CaseResult* c) { return paired.contains(c); };
    std::erase_if(base, done);
    std::erase_if(now, done);
}

void note_unlike(std::vector<std::string>& unlike, std::string_view what, const std::string& base,
                 const std::string& now) {
    if (base == now) return;
    const auto text = [](const std::string& t) { return t.empty() ? std::string("not known") : escaped(t); };
    unlike.push_back(std::string(what) + ": base " + text(base) + ", new " + text(now));
}

// Returns what a filter computes in, or pooling stores; nothing for a recipe, which has its own.
std::string precision_text(const BenchmarkCase& what) {
    if (const auto* filter = what.filter()) return std::string(iir2d::name_of(filter->precision));
    if (const auto* pool = what.pool()) return std::string(iir2d::name_of(pool->element));
    return {};
}

std::vector<std::string> unlike_records(const Record& base, const Record& now, const Pairing& pairs) {
    std::vector<std::string> unlike;
    const auto device = [](const Record& r) { return r.run.device.id + " (" + r.run.device.name + ")"; };
    note_unlike(unlike, "devices", device(base), device(now));
    note_unlike(unlike, "threads", std::to_string(base.run.threads), std::to_string(now.run.threads));
    note_unlike(unlike, "processors", base.environment.cpu_model.value_or(""),
                now.environment.cpu_model.value_or(""));
    for (const auto& [b, n] : pairs) {
        const std::string name = "case \"" + escaped(b->what.key) + "\", ";
        const auto size = [](const CaseResult& c) {
            return std::to_string(c.what.width) + "x" + std::to_string(c.what.height);
        };
        const bool same_precision = precision_text(b->what) == precision_text(n->what);
        note_unlike(unlike, name + "precisions", precision_text(b->what), precision_text(n->what));
        note_unlike(unlike, name + "sizes", size(*b), size(*n));
        if (size(*b) == size(*n) && same_precision && !b->input_sha256.empty() && !n->input_sha256.empty() &&
            b->input_sha256 != n->input_sha256) {
            unlike.push_back(name + "inputs: base " + short_id(b->input_sha256) + ", new " +
                             short_id(n->input_sha256));
        }
    }
    return unlike;
}

// Cases that only the precision or the size keeps apart, for the sentence that refuses.
std::vector<std::string> nearly_alike(std::vector<const CaseResult*> base,
                                      std::vector<const CaseResult*> now) {
    Pairing pairs;
    pair_up(base, now, pairs, {"precision:", "dtype:"});
    pair_up(base, now, pairs, {"size:"});
    pair_up(base, now, pairs, {"precision:", "dtype:", "size:"});
    std::vector<std::string> texts;
    for (const auto& [b, n] : pairs)
        texts.push_back("\"" + escaped(b->what.key) + "\" and \"" + escaped(n->what.key) + "\"");
    return texts;
}

}  // namespace

double shown_cost(double cost, Metric metric) {
    return metric == Metric::throughput ? 1 / cost : cost;
}

MetricFigures figures_of_costs(const std::vector<double>& costs, Metric metric,
                               const BootstrapSettings& bootstrap) {
    const auto shown = [metric](double cost) { return shown_cost(cost, metric); };
    const Interval cost = median_interval(costs, bootstrap);
    const auto [low, high] = std::minmax({shown(cost.low), shown(cost.high)});
    return {.p50 = shown(percentile(costs, 50)),
            .p95 = shown(percentile(costs, 95)),
            .p50_interval = {low, high}};
}

std::vector<double> costs_of(const CaseResult& c, Metric metric) {
    std::vector<double> costs;
    for (std::size_t i = 0; i < c.samples.size(); ++i) {
        double cost = c.samples[i].latency_ms;
        if (metric == Metric::ratio_to_copy) {
            const double copy = i < c.copy_samples.size() ? c.copy_samples[i].latency_ms : 0;
            cost = copy > 0 ? cost / copy : 0;
        }
        if (metric == Metric::throughput)
            cost /= static_cast<double>(c.what.width) * static_cast<double>(c.what.height) / 1e3;
        if (cost > 0 && std::isfinite(cost)) costs.push_back(cost);
    }
    return costs;
}

Result<Metric> metric_from_name(std::string_view name) {
    const auto found = std::ranges::find(metrics, name, [](const auto& m) { return m.second; });
    if (found != metrics.end()) return found->first;
    return fail(ErrorKind::bad_argument,
                "the metric \"" + std::string(name) + "\" is not one of ratio-to-copy, latency, throughput");
}

std::string_view name_of(Metric metric) {
    return std::ranges::find(metrics, metric, [](const auto& m) { return m.first; })->second;
}

std::string_view unit_of(Metric metric) {
    switch (metric) {
        case Metric::ratio_to_copy:
            return "times copy";
        case Metric::latency:
            return "ms";
        case Metric::throughput:
            break;
    }
    return "Mpix/s";
}

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::same:
            return "SAME";
        case Verdict::faster:
            return "FASTER";
        case Verdict::slower:
            return "SLOWER";
        case Verdict::ambiguous:
            return "AMBIGUOUS";
        case Verdict::not_timed:
            break;
    }
    return "NOT TIMED";
}

std::string percent_text(double part) {
    std::array<char, 400> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), 100 * part, std::chars_format::fixed, 1).ptr;
    return std::string(text.data(), end) + " %";
}

std::size_t RecordComparison::count(Verdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(cases, verdict, &CaseComparison::verdict));
}

Result<RecordComparison> compare_records(RecordPtr base_record, RecordPtr new_record,
                                         const CompareSettings& settings, const TaskControl& control) {
    const Record &base = *base_record, &now = *new_record;
    if (!(settings.margin > 0 && settings.margin < 1))
        return fail(ErrorKind::bad_argument,
                    "the margin is out of range: give more than 0 and less than 100 %");
    if (settings.max_regression && !(*settings.max_regression >= 0 && *settings.max_regression <= 100))
        return fail(ErrorKind::bad_argument, "the largest regression is out of range: give 0 to 10000 %");
    std::vector<const CaseResult*> left, right;
    for (const auto& c : base.run.results) left.push_back(&c);
    for (const auto& c : now.run.results) right.push_back(&c);
    Pairing pairs;
    pair_up(left, right, pairs, {});
    if (settings.allow_unlike) {
        pair_up(left, right, pairs, {"precision:", "dtype:"});
        pair_up(left, right, pairs, {"size:"});
        pair_up(left, right, pairs, {"precision:", "dtype:", "size:"});
    }
    RecordComparison comparison{.settings = settings,
                                .base = std::move(base_record),
                                .now = std::move(new_record),
                                .unlike = unlike_records(base, now, pairs),
                                .missing_in_new = {},
                                .missing_in_base = {},
                                .cases = {}};
    if (!settings.allow_unlike) {
        if (!comparison.unlike.empty()) {
            return fail(ErrorKind::check_failed, "the records are unlike, " + comparison.unlike.front() +
                                                     and_more(comparison.unlike.size()) +
                                                     ": give --allow-unlike to compare them all the same");
        }
        if (pairs.empty()) {
            const auto nearly = nearly_alike(left, right);
            if (!nearly.empty()) {
                return fail(ErrorKind::check_failed,
                            "the records are unlike in precision or size, " + nearly.front() +
                                ": give --allow-unlike to compare them all the same");
            }
        }
    }
    if (pairs.empty())
        return fail(ErrorKind::check_failed,
                    base.run.results.empty() || now.run.results.empty()
                        ? "a record without cases cannot be compared"
                        : "the records have no case in common: the first of the base is \"" +
                              escaped(base.run.results.front().what.key) + "\", of the new one \"" +
                              escaped(now.run.results.front().what.key) + "\"");
    for (const auto* c : left) comparison.missing_in_new.push_back(c->what.key);
    for (const auto* c : right) comparison.missing_in_base.push_back(c->what.key);
    for (const auto& [b, n] : pairs) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "the comparison was cancelled");
        control.report(static_cast<double>(comparison.cases.size()) / static_cast<double>(pairs.size()),
                       "comparing " + escaped(n->what.key));
        comparison.cases.push_back(compare_case(*b, *n, settings));
    }
    return comparison;
}

std::vector<std::string> shortcomings(const RecordComparison& comparison) {
    std::vector<const CaseComparison*> worst;
    for (const auto& c : comparison.cases) {
        if (c.regression || c.unresolved) worst.push_back(&c);
    }
    std::ranges::sort(worst, std::ranges::greater(), &CaseComparison::cost_ratio);
    const auto& limit = comparison.settings.max_regression;
    std::vector<std::string> texts;
    for (const auto* c : worst) {
        std::string text = "\"" + escaped(c->now.key) + "\" is " + std::string(name_of(c->verdict)) + " at " +
                           percent_text(c->cost_ratio - 1) + " above the base";
        if (c->unresolved) {
            text += ", not shown to be within the limit of " + percent_text(*limit);
        } else if (limit) {
            text += ", the limit is " + percent_text(*limit);
        }
        texts.push_back(std::move(text));
    }
    for (const auto& c : comparison.cases) {
        if (c.verdict == Verdict::not_timed)
            texts.push_back("\"" + escaped(c.now.key) + "\" cannot be compared: " + c.notes.front());
    }
    for (const auto& key : comparison.missing_in_new)
        texts.push_back("\"" + escaped(key) + "\" is missing in the new record");
    for (const auto& key : comparison.missing_in_base)
        texts.push_back("\"" + escaped(key) + "\" is missing in the base record");
    return texts;
}

std::string duel_command(const RecordComparison& c) {
    if (c.count(Verdict::ambiguous) == 0 || c.base->run.matrix.recipe || c.now->run.matrix.recipe) return {};
    const Environment& b = c.base->environment;
    const Environment& n = c.now->environment;
    const bool one_host = b.host && n.host && *b.host == *n.host && c.base->run.device.id == "cpu" &&
                          c.now->run.device.id == "cpu";
    const bool two_builds = b.library_sha256 && n.library_sha256 && *b.library_sha256 != *n.library_sha256;
    if (!one_host || !two_builds || !b.library_path || !n.library_path) return {};
    std::string sides;
    if (*b.library_path != *n.library_path) {
        sides = shell_quoted(*b.library_path) + " " + shell_quoted(*n.library_path);
    } else if (b.commit && n.commit && *b.commit != *n.commit) {
        sides = "--rev " + shell_quoted(*b.commit) + " " +
                shell_quoted(*n.library_path);  // one took the other's place
    } else {
        return {};
    }
    return "iir2d duel " + sides + case_options(c.now->run.matrix);
}

}  // namespace workbench
