// SPDX-License-Identifier: MIT
// tune eval: models and tables judged by measurements.
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/tune.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/evaluate.h"
#include "core/tune/generate.h"
#include "core/tune/latency.h"
#include "core/tune/rows.h"
#include "core/tune/table.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it
namespace fs = std::filesystem;

struct TuneEvalOptions {
    std::string database;
    std::string model;
    std::string table;
    std::string set;
    std::vector<std::string> k{"1", "2", "3", "5", "10"};
    std::string threshold = "inf";
    std::string worst = "10";
    std::string out_csv;
    std::string max_regret;
    std::string at_k = "1";
    bool with_contended = false;
    bool latency = false;
    bool json = false;
    bool quiet = false;
};

Result<tune::EvaluateOptions> evaluate_options(const TuneEvalOptions& given) {
    tune::EvaluateOptions options;
    options.of = {.set = given.set, .with_contended = given.with_contended};
    if (!given.set.empty()) IIR2D_RETURN_IF_ERROR(tune::problem_set_from_name(given.set));
    options.k.clear();
    for (const std::string& text : split_list(given.k)) {
        IIR2D_TRY(const auto k, parse_integer("--k", text, 1, 1000));
        options.k.push_back(static_cast<std::size_t>(k));
    }
    IIR2D_TRY(const auto worst, parse_integer("--worst", given.worst, 0, 100'000));
    options.worst = static_cast<std::size_t>(worst);
    return options;
}

Result<double> threshold_from(const TuneEvalOptions& given) {
    if (given.threshold == "inf") return std::numeric_limits<double>::infinity();
    IIR2D_TRY(const double threshold, parse_number("--threshold", given.threshold));
    if (!(threshold >= 1))
        return workbench::fail(ErrorKind::bad_argument, "--threshold is 1 or more, or inf");
    return threshold;
}

// What judges, and the purpose that it is for.
struct Judge {
    std::string purpose;
    tune::Objective objective = tune::Objective::both;
    std::string machine;
    std::string kernels;
    std::string text;  // of the model
    std::optional<iir2d::TreeModel> model;
    std::optional<tune::BestTable> table;
};
Result<Judge> judge_from(const TuneEvalOptions& given) {
    if (given.model.empty() == given.table.empty())
        return workbench::fail(ErrorKind::bad_argument, "give --model DIR or --table FILE");
    Judge judge;
    if (!given.table.empty()) {
        IIR2D_TRY(const auto text, read_file(given.table, iir2d::largest_model_text));
        auto table = tune::table_from_text(text);
        if (!table)
            return workbench::fail(table.error().kind, shown(given.table) + ": " + table.error().message);
        judge = {.purpose = table->purpose,
                 .objective = table->objective,
                 .machine = table->machine,
                 .kernels = table->kernels};
        judge.table = std::move(*table);
        return judge;
    }
    const fs::path file = fs::path(given.model) / "model.trees";
    IIR2D_TRY(const auto text, read_file(file, iir2d::largest_model_text));
    auto model = iir2d::model_from_text(text);
    if (!model)
        return workbench::fail(ErrorKind::bad_input,
                               workbench::quoted(file) + ": " + shown(model.error().message));
    IIR2D_TRY(judge.objective, tune::objective_from_name(model->objective));
    judge.purpose = model->purpose;
    judge.machine = model->machine;
    judge.kernels = model->kernels;
    judge.text = text;
    judge.model = std::move(*model);
    return judge;
}

void print_evaluation(const tune::Evaluation& e) {
    const auto line = [](const std::string& name, const tune::Distribution& d) {
        std::printf("%-12s %8.4f %8.4f %8.4f %8.4f\n", name.c_str(), d.geomean, d.p50, d.p95, d.max);
    };
    std::printf("%s, %zu unstable and %zu not measured left out; times over the best config's\n",
                counted(e.problems, "problem").c_str(), e.unstable, e.not_measured);
    std::printf("%-12s %8s %8s %8s %8s\n", "", "geomean", "p50", "p95", "max");
    line("noise", e.noise);
    line("static", e.of_static);
    line("random", e.random);
    line("best single", e.best_single);
    for (const tune::RegretByK& one : e.by_k) {
        line("first " + std::to_string(one.k), one.regret);
        std::printf("  within 2 %% of the best: %.1f %%; timing them takes %.1f %% of timing all\n",
                    100 * one.within_2_percent, 100 * one.time_share);
    }
    std::printf("decision over static: %.4f; above 1.02: %.1f %% (static itself: %.1f %%), surely: %zu\n",
                e.decision_geomean, 100 * e.decision_slower, 100 * e.second_static_slower,
                e.surely_slower.size());
    std::printf("best single config: %s\n", e.single.c_str());
}

void print_times(const tune::DecisionTimes& times) {
    std::printf(
        "a decision: %.1f us (p99 %.1f), one made before: %.1f us (p99 %.1f); the model is loaded in %.1f "
        "ms\n",
        times.fresh_us_p50, times.fresh_us_p99, times.cached_us_p50, times.cached_us_p99, times.load_ms);
}

Result<void> check_regret(const tune::Evaluation& evaluation, const TuneEvalOptions& given) {
    if (given.max_regret.empty()) return {};
    IIR2D_TRY(const double most, parse_number("--max-regret", given.max_regret));
    IIR2D_TRY(const auto k, parse_integer("--at-k", given.at_k, 1, 1000));
    for (const tune::RegretByK& one : evaluation.by_k) {
        if (one.k != static_cast<std::size_t>(k)) continue;
        if (one.regret.geomean <= most) return {};
        return workbench::fail(ErrorKind::check_failed, "the regret of the first " + given.at_k + " is " +
                                                            format_number(one.regret.geomean) +
                                                            ", more than " + given.max_regret);
    }
    return workbench::fail(ErrorKind::bad_argument, "--at-k " + given.at_k + " is not one of --k");
}

Result<int> run_eval(const TuneEvalOptions& given) {
    IIR2D_TRY(auto options, evaluate_options(given));
    IIR2D_TRY(const double threshold, threshold_from(given));
    if (given.latency && given.model.empty())
        return workbench::fail(ErrorKind::bad_argument, "--latency is of a --model");
    if (!given.out_csv.empty()) IIR2D_RETURN_IF_ERROR(check_outputs({given.out_csv}, ""));
    IIR2D_TRY(auto judge, judge_from(given));
    options.of.objective = judge.objective;
    IIR2D_TRY(auto read, read_database(given.database));
    IIR2D_TRY(auto all, tune::measured_by_one(std::move(read), judge.machine, judge.kernels));
    std::erase_if(all.problems,
                  [&](const tune::MeasuredProblem& problem) { return problem.purpose != judge.purpose; });
    const tune::Ranker ranker = judge.table ? tune::ranker_of(std::move(*judge.table))
                                            : tune::ranker_of(std::move(*judge.model), all, threshold);
    IIR2D_TRY(const auto evaluation, tune::evaluate(all, ranker, options));
    if (!given.out_csv.empty())
        IIR2D_RETURN_IF_ERROR(write_file_atomically(given.out_csv, tune::to_csv(evaluation)));
    std::optional<tune::DecisionTimes> times;
    if (given.latency) {
        IIR2D_TRY(times, tune::decision_times(judge.text, all));
    }
    if (given.json) {
        print_text(tune::to_json(evaluation, options.worst, times ? &*times : nullptr));
    } else {
        print_evaluation(evaluation);
        if (times) print_times(*times);
    }
    IIR2D_RETURN_IF_ERROR(check_regret(evaluation, given));
    return 0;
}

CLI::App* add_eval(CLI::App& tune, TuneEvalOptions& given) {
    CLI::App* command = tune.add_subcommand("eval", "Judge a model or a table by measured problems");
    command->add_option("DB", given.database, "A database that tune collect made")->required();
    command->add_option("--model", given.model, "The folder of a model");
    command->add_option("--table", given.table, "A table that tune table made");
    command->add_option("--set", given.set, "Only problems of this set: train or validation (default: both)");
    command
        ->add_option("--k", given.k,
                     "How many of the configs ranked first are timed, as a list (default: 1,2,3,5,10)")
        ->type_name("LIST")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--threshold", given.threshold,
            "Leave out configs whose predicted time is above this ratio to the best predicted, from 1 to inf")
        ->capture_default_str();
    command->add_flag("--latency", given.latency, "Also time decisions; the model must be of this machine");
    command->add_option("--worst", given.worst, "How many of the worst problems are listed")
        ->capture_default_str();
    command->add_option("--out-csv", given.out_csv, "Write one row for each problem to this file");
    command->add_option("--max-regret", given.max_regret,
                        "Exit with 5 if the geometric mean of the regret at --at-k is above this");
    command->add_option("--at-k", given.at_k, "The k of --max-regret: one of --k")->capture_default_str();
    add_figures(*command, given.with_contended, given.json);
    add_quiet(*command, given.quiet);
    return command;
}

}  // namespace

void add_tune_eval(CLI::App& tune, Action& chosen) {
    const auto given = std::make_shared<TuneEvalOptions>();
    add_eval(tune, *given)->callback([given, &chosen] {
        chosen = [given](const Interruption&) { return run_eval(*given); };
    });
}

}  // namespace app
