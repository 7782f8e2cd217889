// SPDX-License-Identifier: MIT
// tune retrain: measures, trains, judges and installs models for this machine.
#include <chrono>
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/tune.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/tune/retrain.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct TuneRetrainOptions {
    DeviceOptions device;
    std::string budget = "300";
    std::string seed = "1";
    bool json = false;
    bool quiet = false;
};

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

void say_retrained(const tune::Retrained& done, const TuneRetrainOptions& given) {
    if (given.json) {
        Json purposes = Json::array();
        for (const tune::RetrainedPurpose& one : done.purposes)
            purposes.push_back({{"purpose", one.purpose},
                                {"version", one.version},
                                {"installed", one.is_installed},
                                {"why_not", one.why_not.empty() ? Json() : Json(one.why_not)},
                                {"problems", one.problems},
                                {"to_static", or_null(one.to_static)},
                                {"active_to_static", or_null(one.active_to_static)},
                                {"regret", or_null(one.regret)}});
        print_json({{"seconds", done.seconds},
                    {"visits", done.visits},
                    {"contended", done.contended},
                    {"purposes", std::move(purposes)}});
        return;
    }
    std::printf("%s in %.0f s, %zu contended\n", counted(done.visits, "visit").c_str(), done.seconds,
                done.contended);
    for (const tune::RetrainedPurpose& one : done.purposes) {
        if (one.is_installed)
            std::printf("%s/%s installed: %s, decisions take %.3f of static's time\n", one.purpose.c_str(),
                        one.version.c_str(), counted(one.problems, "problem").c_str(), *one.to_static);
        else
            std::printf("%s: no new model: %s\n", one.purpose.c_str(), shown(one.why_not).c_str());
    }
}

Result<int> run_retrain(const TuneRetrainOptions& given, const Interruption& interruption) {
    tune::RetrainOptions options;
    IIR2D_TRY(options.budget_seconds, parse_number("--budget", given.budget));
    if (!(options.budget_seconds >= 1))
        return workbench::fail(ErrorKind::bad_argument, "--budget is in seconds, 1 or more");
    IIR2D_TRY(const auto seed,
              parse_integer("--seed", given.seed, 0, std::numeric_limits<std::int64_t>::max()));
    options.seed = static_cast<std::uint64_t>(seed);
    options.database = config_directory() / "tune" / "retrain.db";
    IIR2D_TRY(const auto choice, given.device.choose());
    interruption.give_time(std::chrono::seconds(10));
    Progress progress(interruption.token(), given.quiet);
    const auto done = tune::retrain(options, choice.device, progress.control());
    progress.clear();
    if (!done) return std::unexpected(done.error());
    say_retrained(*done, given);
    const auto refused = std::ranges::count(done->purposes, false, &tune::RetrainedPurpose::is_installed);
    if (refused == 0) return 0;
    return workbench::fail(
        ErrorKind::check_failed,
        counted(static_cast<std::uint64_t>(refused), "purpose has", "purposes have") + " no new model");
}

}  // namespace

void add_tune_retrain(CLI::App& tune, Action& chosen) {
    auto given = std::make_shared<TuneRetrainOptions>();
    given->device.device = "cpu";
    CLI::App* command =
        tune.add_subcommand("retrain", "Measure, train, judge and install models for this machine");
    command->add_option("--budget", given->budget, "Seconds for all steps together")->capture_default_str();
    command->add_option("--threads", given->device.threads, "Most threads to use (default: all)");
    command->add_option("--seed", given->seed, "Seed of the random draws")->capture_default_str();
    command->add_flag("--json", given->json, "Print JSON");
    add_quiet(*command, given->quiet);
    command->callback([given, &chosen] {
        chosen = [given](const Interruption& interruption) { return run_retrain(*given, interruption); };
    });
}

}  // namespace app
