// SPDX-License-Identifier: MIT
// tune models and manifest: which models there are.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/tune.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/registry.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it
namespace fs = std::filesystem;

struct TuneModelOptions {
    std::string out;
    std::string models;
    std::string format = "json";
    bool verify = false;
    bool json = false;
    bool quiet = false;
};

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
        if (given.json) print_json({{"differences", differences}});
        for (const std::string& one : differences) {
            if (!given.json) std::printf("%s\n", shown(one).c_str());
        }
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

}  // namespace

void add_tune_models(CLI::App& tune, Action& chosen) {
    const auto runs = [&chosen](CLI::App* command, const std::shared_ptr<TuneModelOptions>& given,
                                Result<int> (*run)(const TuneModelOptions&)) {
        command->callback(
            [given, run, &chosen] { chosen = [given, run](const Interruption&) { return run(*given); }; });
    };
    auto given = std::make_shared<TuneModelOptions>();
    CLI::App* models =
        tune.add_subcommand("models", "List the models on this machine, and which of them decide");
    models->add_option("--models", given->models, "A folder of models that is searched before the others");
    models->add_flag("--json", given->json, "Print JSON");
    add_quiet(*models, given->quiet);
    runs(models, given, run_models);

    given = std::make_shared<TuneModelOptions>();
    CLI::App* manifest = tune.add_subcommand("manifest", "Write or verify the list of a folder of models");
    manifest->add_option("--models", given->models, "The folder (default: the user's own models)");
    manifest->add_option("--out", given->out,
                         "The file to write (default: manifest.json in the folder, which is printed too)");
    manifest->add_option("--format", given->format, "json, or paths: only the files")->capture_default_str();
    manifest->add_flag("--verify", given->verify,
                       "Compare the folder with its manifest.json: exit 5 on a difference");
    manifest->add_flag("--json", given->json,
                       "Same as --format json; with --verify print the differences as JSON");
    add_quiet(*manifest, given->quiet);
    runs(manifest, given, run_manifest);
}

}  // namespace app
