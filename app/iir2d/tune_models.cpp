// SPDX-License-Identifier: MIT
// tune train, eval, table, models and manifest: models made of measurements, judged by others and kept.
#include <cmath>
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
#include "core/tune/registry.h"
#include "core/tune/rows.h"
#include "core/tune/table.h"
#include "core/tune/train.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it
namespace fs = std::filesystem;

struct TuneModelOptions {
    std::vector<std::string> databases;
    std::string database;
    std::string purpose;
    std::string validation;
    std::string seed = "1";
    std::string objective = "both";
    std::string out;
    std::string model;
    std::string table;
    std::string set;
    std::vector<std::string> k{"1", "2", "3", "5", "10"};
    std::string threshold = "inf";
    std::string worst = "10";
    std::string out_csv;
    std::string max_regret;
    std::string at_k = "1";
    std::string n = "4";
    std::string models;
    std::string format = "json";
    bool with_contended = false;
    bool install = false;
    bool verify = false;
    bool latency = false;
    bool json = false;
    bool quiet = false;
};

Result<tune::Measurements> read_databases(const std::vector<std::string>& files) {
    std::vector<tune::Measurements> parts;
    for (const std::string& file : files) {
        IIR2D_TRY(parts.emplace_back(), read_database(file));
    }
    IIR2D_TRY(const auto host, tune::model_host());
    return tune::measured_by_one(tune::united(std::move(parts)), host.machine, host.kernels);
}

Result<std::uint64_t> seed_from(const TuneModelOptions& given) {
    IIR2D_TRY(const auto seed,
              parse_integer("--seed", given.seed, 0, std::numeric_limits<std::int64_t>::max()));
    return static_cast<std::uint64_t>(seed);
}

// train

void say_trained(const tune::Trained& made, const fs::path& folder, const TuneModelOptions& given) {
    const tune::RegisteredModel where{.name = made.model.purpose + "/" + made.model.version, .path = folder};
    if (given.json) {
        print_json({{"name", where.name},
                    {"path", folder.string()},
                    {"problems", made.problems},
                    {"rows", made.rows},
                    {"left_out", made.left_out},
                    {"gain_trees", made.model.gain.trees()},
                    {"level_trees", made.model.level.trees()},
                    {"margin", made.model.margin ? Json(*made.model.margin) : Json()},
                    {"sha256", made.model.sha256},
                    {"unproven", made.unproven.empty() ? Json() : Json(made.unproven)}});
        return;
    }
    std::printf("%s of %s (%zu rows; %zu left out): %zu and %zu trees, in %s\n", where.name.c_str(),
                counted(made.problems, "problem").c_str(), made.rows, made.left_out, made.model.gain.trees(),
                made.model.level.trees(), workbench::quoted(folder).c_str());
    if (made.unproven.empty()) {
        std::printf("a config is chosen from a predicted gain of %.2g on\n",
                    static_cast<double>(*made.model.margin));
    } else {
        std::printf("unproven, it does not decide: %s\n", made.unproven.c_str());
    }
}

Result<int> run_train(const TuneModelOptions& given, const Interruption& interruption) {
    if (given.out.empty() == !given.install)
        return workbench::fail(ErrorKind::bad_argument, "give --out DIR or --install");
    tune::TrainOptions options{.purpose = given.purpose, .with_contended = given.with_contended};
    IIR2D_TRY(options.seed, seed_from(given));
    IIR2D_TRY(options.objective, tune::objective_from_name(given.objective));
    if (given.install) options.version = tune::next_version(tune::own_models(), given.purpose);
    const fs::path folder =
        given.install ? tune::own_models() / given.purpose / options.version : fs::path(given.out);
    std::error_code error;
    if (fs::exists(folder, error))
        return workbench::fail(ErrorKind::unwritable_output, workbench::quoted(folder) + " is there already");
    IIR2D_TRY(const auto measured, read_databases(given.databases));
    std::optional<tune::Measurements> validation;
    if (!given.validation.empty()) {
        IIR2D_TRY(validation, read_databases({given.validation}));
    }
    Progress progress(interruption.token(), given.quiet);
    const auto made =
        tune::train(measured, validation ? &*validation : &measured, options, progress.control());
    progress.clear();
    if (!made) return std::unexpected(made.error());
    IIR2D_RETURN_IF_ERROR(given.install
                              ? tune::install_model(made->model.purpose, options.version, made->files)
                              : tune::write_model(folder, made->files));
    say_trained(*made, folder, given);
    return 0;
}

// eval

Result<tune::EvaluateOptions> evaluate_options(const TuneModelOptions& given) {
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

Result<double> threshold_from(const TuneModelOptions& given) {
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
Result<Judge> judge_from(const TuneModelOptions& given) {
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

Result<void> check_regret(const tune::Evaluation& evaluation, const TuneModelOptions& given) {
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

Result<int> run_eval(const TuneModelOptions& given) {
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

// table

Result<int> run_table(const TuneModelOptions& given) {
    tune::HeadroomOptions figures{.set = given.set, .with_contended = given.with_contended};
    if (!given.set.empty()) IIR2D_RETURN_IF_ERROR(tune::problem_set_from_name(given.set));
    IIR2D_TRY(figures.objective, tune::objective_from_name(given.objective));
    IIR2D_TRY(const auto n, parse_integer("--n", given.n, 1, 64));
    if (!given.out.empty()) IIR2D_RETURN_IF_ERROR(check_outputs({given.out}, ""));
    IIR2D_TRY(const auto all, read_databases({given.database}));
    IIR2D_TRY(const auto table, tune::make_table(all, given.purpose, static_cast<std::size_t>(n), figures));
    const std::string text = tune::text_of(table);
    if (!given.out.empty()) IIR2D_RETURN_IF_ERROR(write_file_atomically(given.out, text));
    if (given.json) {
        Json families = Json::array();
        for (const tune::TableFamily& family : table.families) {
            Json configs = Json::array();
            for (const tune::TableEntry& entry : family.entries)
                configs.push_back({{"config", entry.config}, {"ratio_to_static", entry.alone}});
            families.push_back({{"family", family.family},
                                {"problems", family.problems},
                                {"together", family.together},
                                {"configs", std::move(configs)}});
        }
        print_json({{"purpose", table.purpose}, {"families", std::move(families)}});
    } else if (given.out.empty()) {
        print_text(text);
    }
    return 0;
}

// models and manifest

Json json_of(const tune::RegisteredModel& model) {
    return {{"name", model.name},
            {"purpose", model.purpose},
            {"version", model.version},
            {"status", tune::name_of(model.status)},
            {"reason", model.reason.empty() ? Json() : Json(model.reason)},
            {"place", model.place.string()},
            {"path", model.path.string()},
            {"interface", model.interface},
            {"machine", model.machine},
            {"kernels", model.kernels},
            {"space", model.space},
            {"features", model.features},
            {"size", model.size},
            {"sha256", model.sha256}};
}

Result<int> run_models(const TuneModelOptions& given) {
    IIR2D_TRY(const auto host, tune::model_host());
    const auto places = tune::model_places(given.models);
    const auto models = tune::find_models(places, host);
    if (given.json) {
        Json all = Json::array();
        for (const tune::RegisteredModel& model : models) all.push_back(json_of(model));
        Json where = Json::array();
        for (const fs::path& place : places) where.push_back(place.string());
        print_json({{"machine", host.machine},
                    {"kernels", host.kernels},
                    {"places", std::move(where)},
                    {"models", std::move(all)}});
        return 0;
    }
    for (const tune::RegisteredModel& model : models)
        std::printf("%-20s %-16s %s%s%s\n", shown(model.name).c_str(),
                    std::string(tune::name_of(model.status)).c_str(), workbench::quoted(model.place).c_str(),
                    model.reason.empty() ? "" : ": ", shown(model.reason).c_str());
    if (models.empty()) std::printf("there are no models\n");
    return 0;
}

Result<int> run_manifest(const TuneModelOptions& given) {
    const fs::path place = given.models.empty() ? tune::own_models() : fs::path(given.models);
    if (given.format != "json" && given.format != "paths")
        return workbench::fail(ErrorKind::bad_argument,
                               "--format \"" + shown(given.format) + "\" is not json or paths");
    if (given.verify) {
        IIR2D_TRY(const auto differences, tune::manifest_differences(place));
        for (const std::string& one : differences) std::printf("%s\n", shown(one).c_str());
        if (differences.empty()) return 0;
        return workbench::fail(ErrorKind::check_failed,
                               workbench::quoted(place) + " is not as its manifest.json says");
    }
    const fs::path out = given.out.empty() ? place / "manifest.json" : fs::path(given.out);
    std::string text;
    if (given.format == "json") {
        IIR2D_TRY(text, tune::manifest_of(place));
    } else {
        IIR2D_TRY(const auto files, tune::model_files(place));
        for (const std::string& file : files) text += (place / file).string() + "\n";
    }
    if (given.out.empty()) print_text(text);
    if (!given.out.empty() || given.format == "json") IIR2D_RETURN_IF_ERROR(write_file_atomically(out, text));
    return 0;
}

void add_figures(CLI::App* command, TuneModelOptions& given) {
    command->add_flag("--with-contended", given.with_contended,
                      "Count visits during which the processors were not the threads' own, too");
    command->add_flag("--json", given.json, "The same as JSON");
    add_quiet(*command, given.quiet);
}

void add_objective(CLI::App* command, TuneModelOptions& given) {
    command
        ->add_option("--objective", given.objective,
                     "What is minimised: op (the call), use (the call and one read of its output), both (the "
                     "worse of the two)")
        ->capture_default_str();
}

CLI::App* add_train(CLI::App& tune, TuneModelOptions& given) {
    CLI::App* command = tune.add_subcommand("train", "Train a model on measurements");
    command->add_option("DB", given.databases, "Databases that tune collect made")->required();
    command->add_option("--purpose", given.purpose, "iir-cpu, pool-cpu or pool-backward-cpu")->required();
    command->add_option("--validation", given.validation,
                        "The database whose validation problems judge the model (default: those of DB)");
    command->add_option("--seed", given.seed, "Of all that is drawn")->capture_default_str();
    add_objective(command, given);
    command->add_option("--out", given.out, "A new folder for the model");
    command->add_flag("--install", given.install, "Put it among the user's own models, as the next version");
    add_figures(command, given);
    return command;
}

CLI::App* add_eval(CLI::App& tune, TuneModelOptions& given) {
    CLI::App* command = tune.add_subcommand("eval", "Judge a model or a table by measurements");
    command->add_option("DB", given.database, "A database that tune collect made")->required();
    command->add_option("--model", given.model, "The folder of a model");
    command->add_option("--table", given.table, "A table that tune table made");
    command->add_option("--set", given.set, "train or validation; default both");
    command->add_option("--k", given.k, "How many of the first configs are timed (default: 1,2,3,5,10)")
        ->type_name("LIST");
    command
        ->add_option(
            "--threshold", given.threshold,
            "Configs predicted slower than the best by more than this ratio are left out; from 1 to inf")
        ->capture_default_str();
    command->add_flag("--latency", given.latency,
                      "Time the decisions, too; the model has to be one of this machine");
    command->add_option("--worst", given.worst, "Problems listed")->capture_default_str();
    command->add_option("--out-csv", given.out_csv, "A file with a row a problem");
    command->add_option("--max-regret", given.max_regret,
                        "Exit 5 if the geometric mean at --at-k is above this");
    command->add_option("--at-k", given.at_k, "One of --k")->capture_default_str();
    add_figures(command, given);
    return command;
}

CLI::App* add_table(CLI::App& tune, TuneModelOptions& given) {
    CLI::App* command =
        tune.add_subcommand("table", "The few configs that suit each family of problems best");
    command->add_option("DB", given.database, "A database that tune collect made")->required();
    command->add_option("--purpose", given.purpose, "iir-cpu, pool-cpu or pool-backward-cpu")->required();
    command->add_option("--n", given.n, "Configs a family, static among them")->capture_default_str();
    command->add_option("--set", given.set, "train or validation; default both");
    add_objective(command, given);
    command->add_option("--out", given.out, "A file, instead of printing it");
    add_figures(command, given);
    return command;
}

}  // namespace

void add_tune_models(CLI::App& tune, Action& chosen) {
    const auto runs = [&chosen](CLI::App* command, const std::shared_ptr<TuneModelOptions>& given,
                                Result<int> (*run)(const TuneModelOptions&)) {
        command->callback(
            [given, run, &chosen] { chosen = [given, run](const Interruption&) { return run(*given); }; });
    };
    auto given = std::make_shared<TuneModelOptions>();
    add_train(tune, *given)->callback([given, &chosen] {
        chosen = [given](const Interruption& interruption) { return run_train(*given, interruption); };
    });
    given = std::make_shared<TuneModelOptions>();
    runs(add_eval(tune, *given), given, run_eval);
    given = std::make_shared<TuneModelOptions>();
    runs(add_table(tune, *given), given, run_table);

    given = std::make_shared<TuneModelOptions>();
    CLI::App* models = tune.add_subcommand("models", "The models there are, and which decide");
    models->add_option("--models", given->models, "A folder of models that is asked first");
    models->add_flag("--json", given->json, "The same as JSON");
    add_quiet(*models, given->quiet);
    runs(models, given, run_models);

    given = std::make_shared<TuneModelOptions>();
    CLI::App* manifest = tune.add_subcommand("manifest", "Write or verify what is in a folder of models");
    manifest->add_option("--models", given->models, "The folder (default: the user's own models)");
    manifest->add_option("--out", given->out,
                         "Where it is written (default: manifest.json in the folder, and printed)");
    manifest->add_option("--format", given->format, "json, or paths: the files alone")->capture_default_str();
    manifest->add_flag("--verify", given->verify,
                       "Compare the folder with its manifest.json: exit 5 on a difference");
    manifest->add_flag("--json", given->json, "As --format json");
    add_quiet(*manifest, given->quiet);
    runs(manifest, given, run_manifest);
}

}  // namespace app
