// SPDX-License-Identifier: MIT
// Two records, case by case: how much slower or faster, how sure that is, and a verdict. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/statistics.h"
#include "core/record/record.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

enum class Metric {
    ratio_to_copy,  // the time over the copy's of the same iteration
    latency,        // ms
    throughput,     // of the plane, Mpix/s
};
// "ratio-to-copy" and so on; bad_argument names the known ones.
Result<Metric> metric_from_name(std::string_view name);
std::string_view name_of(Metric metric);
std::string_view unit_of(Metric metric);  // "times copy", "ms", "Mpix/s"

enum class Verdict {
    same,    // the whole interval is within the margin
    faster,  // significantly, by more than the margin, and both by the clock and beside the copy
    slower,  // the same
    // None of these can be said: the interval is too wide, a GPU was throttled, the samples drift by more
    // than the margin, or the clock and the copy disagree.
    ambiguous,
    not_timed,  // in one of the two
};
std::string_view name_of(Verdict verdict);  // "SAME", ..., "NOT TIMED"

// Returns each sample's cost: more is worse for every metric (throughput is turned round). Samples that the
// clock could not resolve are left out.
std::vector<double> costs_of(const CaseResult& c, Metric metric);
// Returns a cost in the metric's own sense, for a reader: throughput is turned back.
double shown_cost(double cost, Metric metric);

struct MetricFigures {
    double p50 = 0, p95 = 0;
    Interval p50_interval;
};
// Returns the figures of costs, in the metric's own sense. There must be a cost.
MetricFigures figures_of_costs(const std::vector<double>& costs, Metric metric,
                               const BootstrapSettings& bootstrap = {});

struct CompareSettings {
    Metric metric = Metric::ratio_to_copy;
    double margin = 0.05;        // relative; differences within it count as none
    double significance = 0.01;  // p-values below it are
    // Relative. A SLOWER case above it is a regression, an AMBIGUOUS one is not shown to be within it.
    // Without a limit every SLOWER case is a regression.
    std::optional<double> max_regression = std::nullopt;
    bool allow_unlike = false;  // devices, inputs, precisions, sizes
    BootstrapSettings bootstrap = {};
};

// One side of a case.
struct CaseFigures {
    std::string key;
    std::size_t count = 0;
    double p50 = 0, p95 = 0;  // of the metric
    Interval p50_interval;
    double drift = 0;  // relative, over all samples
    std::size_t preempted = 0;
};

struct CaseComparison {
    CaseFigures base;
    CaseFigures now;
    Verdict verdict = Verdict::not_timed;
    double cost_ratio = 1;    // of the medians; above 1 is slower, whatever the metric
    Interval ratio_interval;  // of it
    MannWhitney test;
    bool regression = false;  // SLOWER, and above the limit
    // AMBIGUOUS, and its interval reaches above the limit or its samples say nothing at all.
    bool unresolved = false;
    std::optional<bool> same_output;  // bit for bit; absent where a hash is missing
    std::vector<std::string> notes;   // what else a reader must know of it
};

struct RecordComparison {
    CompareSettings settings;
    RecordPtr base, now;              // never null
    std::vector<std::string> unlike;  // what differs although like must be compared with like; sentences
    std::vector<std::string> missing_in_new;
    std::vector<std::string> missing_in_base;
    std::vector<CaseComparison> cases;

    std::size_t count(Verdict verdict) const;
};

// bad_argument: settings out of range. check_failed: unlike records that were not allowed; the first
// difference is named. cancelled: control.stop asked between two cases.
Result<RecordComparison> compare_records(RecordPtr base, RecordPtr now, const CompareSettings& settings,
                                         const TaskControl& control = {});

// Returns "12 SAME, 1 FASTER, 0 SLOWER, 2 AMBIGUOUS".
std::string verdict_counts(const RecordComparison& comparison);

// Lists what is wrong with it: regressions and unresolved cases, worst first, then cases that are missing or
// were not timed. Empty: nothing.
std::vector<std::string> shortcomings(const RecordComparison& comparison);

// Returns the `iir2d duel` command that would answer where a case is AMBIGUOUS between two builds on one
// host: it measures them in pairs. Empty where no case is, or where the records are not of two builds on one
// host's CPU.
std::string duel_command(const RecordComparison& comparison);

std::string comparison_to_json(const RecordComparison& comparison);
std::string comparison_to_markdown(const RecordComparison& comparison);

// "3.2 %" from 0.032.
std::string percent_text(double part);

}  // namespace workbench
