// SPDX-License-Identifier: MIT
// tune train and table: models and tables made of measurements.
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
#include "core/tune/generate.h"
#include "core/tune/install.h"
#include "core/tune/registry.h"
#include "core/tune/table.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it
namespace fs = std::filesystem;

struct TuneTrainOptions {
    std::vector<std::string> databases;
    std::string database;
    std::string purpose;
    std::string validation;
    std::string seed = "1";
    std::string objective = "both";
    std::string out;
    std::string set;
    std::string n = "4";
    bool with_contended = false;
    bool install = false;
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

Result<std::uint64_t> seed_from(const TuneTrainOptions& given) {
    IIR2D_TRY(const auto seed,
              parse_integer("--seed", given.seed, 0, std::numeric_limits<std::int64_t>::max()));
    return static_cast<std::uint64_t>(seed);
}

void say_trained(const tune::Trained& made, const fs::path& folder, const TuneTrainOptions& given) {
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

Result<int> run_train(const TuneTrainOptions& given, const Interruption& interruption) {
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
    std::optional<tune::Measurements> validation;  // train() takes the visits of its own machine and build
    if (!given.validation.empty()) {
        IIR2D_TRY(validation, read_database(given.validation));
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

Result<int> run_table(const TuneTrainOptions& given) {
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

void add_objective(CLI::App* command, TuneTrainOptions& given) {
    command
        ->add_option("--objective", given.objective,
                     "The time to minimise: op (the call), use (the call and one read of its output) or both "
                     "(the worse of the two)")
        ->capture_default_str();
}

CLI::App* add_train(CLI::App& tune, TuneTrainOptions& given) {
    CLI::App* command = tune.add_subcommand("train", "Train a model on measurements");
    command->add_option("DB", given.databases, "Databases that tune collect made")->required();
    command
        ->add_option("--purpose", given.purpose,
                     "What it decides: iir-cpu, pool-cpu, pool-backward-cpu, iir-cuda or pool-cuda")
        ->required();
    command->add_option("--validation", given.validation,
                        "The database whose validation problems judge the model (default: those of DB)");
    command->add_option("--seed", given.seed, "Seed of the random draws")->capture_default_str();
    add_objective(command, given);
    command->add_option("--out", given.out, "A new folder for the model");
    command->add_flag("--install", given.install,
                      "Install the model among the user's own, as the next version");
    add_figures(*command, given.with_contended, given.json);
    add_quiet(*command, given.quiet);
    return command;
}

CLI::App* add_table(CLI::App& tune, TuneTrainOptions& given) {
    CLI::App* command =
        tune.add_subcommand("table", "Find the few configs that suit each family of problems best");
    command->add_option("DB", given.database, "A database that tune collect made")->required();
    command
        ->add_option("--purpose", given.purpose,
                     "What it decides: iir-cpu, pool-cpu, pool-backward-cpu, iir-cuda or pool-cuda")
        ->required();
    command->add_option("--n", given.n, "Number of configs for each family, static among them")
        ->capture_default_str();
    command->add_option("--set", given.set, "Only problems of this set: train or validation (default: both)");
    add_objective(command, given);
    command->add_option("--out", given.out, "Write the table to this file instead of printing it");
    add_figures(*command, given.with_contended, given.json);
    add_quiet(*command, given.quiet);
    return command;
}

}  // namespace

void add_tune_train(CLI::App& tune, Action& chosen) {
    const auto trained = std::make_shared<TuneTrainOptions>();
    add_train(tune, *trained)->callback([trained, &chosen] {
        chosen = [trained](const Interruption& interruption) { return run_train(*trained, interruption); };
    });
    const auto tabled = std::make_shared<TuneTrainOptions>();
    add_table(tune, *tabled)->callback([tabled, &chosen] {
        chosen = [tabled](const Interruption&) { return run_table(*tabled); };
    });
}

}  // namespace app
