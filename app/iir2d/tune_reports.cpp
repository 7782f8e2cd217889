// SPDX-License-Identifier: MIT
// tune headroom, export and import: what a database of measurements says, and the database as text.
#include <cstdio>
#include <memory>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/tune.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/tune/headroom.h"
#include "core/tune/registry.h"
#include "core/tune/store.h"
#include "core/tune/table.h"
#include "core/tune/transfer.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct TuneReportOptions {
    std::string database;
    std::string set;
    std::string objective = "both";
    std::string out_md;
    std::string out_csv;
    std::string out_json;
    std::string json_file;
    std::string out;
    bool with_contended = false;
    bool json = false;
    bool quiet = false;
};

Json json_of(const tune::Distribution& d) {
    return {{"geomean", d.geomean}, {"p50", d.p50}, {"p95", d.p95}, {"max", d.max}};
}

Json json_of(const tune::FamilyHeadroom& family) {
    Json knobs = Json::array();
    for (const tune::KnobGain& knob : family.knobs)
        knobs.push_back({{"knob", knob.knob}, {"problems", knob.problems}, {"gain", json_of(knob.gain)}});
    return {{"family", family.family},
            {"problems", family.problems},
            {"headroom", json_of(family.headroom)},
            {"noise", json_of(family.noise)},
            {"knobs", knobs}};
}

Json json_of(const tune::Headroom& headroom) {
    Json families = Json::array();
    for (const tune::FamilyHeadroom& family : headroom.families) families.push_back(json_of(family));
    return {{"overall", headroom.overall ? json_of(*headroom.overall) : Json()},
            {"families", families},
            {"below_gate", tune::knobs_below_gate(headroom)},
            {"unstable", headroom.unstable},
            {"not_measured", headroom.not_measured},
            {"contended_visits", headroom.contended_visits},
            {"unstable_visits", headroom.unstable_visits},
            {"wrong_visits", headroom.wrong_visits}};
}

Result<int> run_headroom(const TuneReportOptions& given) {
    tune::HeadroomOptions options{.set = given.set, .with_contended = given.with_contended};
    if (!given.set.empty()) IIR2D_RETURN_IF_ERROR(tune::problem_set_from_name(given.set));
    IIR2D_TRY(options.objective, tune::objective_from_name(given.objective));
    if (!given.out_md.empty()) IIR2D_RETURN_IF_ERROR(check_outputs({given.out_md}, ""));
    IIR2D_TRY(auto read, read_database(given.database));
    IIR2D_TRY(const auto host, tune::model_host());
    IIR2D_TRY(const auto all, tune::measured_by_one(std::move(read), host.machine, host.kernels));
    const tune::Headroom headroom = tune::headroom_of(all, options);
    const std::string text = tune::to_markdown(headroom, options);
    if (!given.out_md.empty()) IIR2D_RETURN_IF_ERROR(write_file_atomically(given.out_md, text));
    if (given.json) {
        print_json(json_of(headroom));
    } else if (given.out_md.empty()) {
        print_text(text);
    }
    return 0;
}

// Says what went from one file to another.
void say_moved(const char* verb, const tune::Measurements& all, const TuneReportOptions& given) {
    if (!given.json) return note(verb + (" " + counted(all.problems.size(), "problem")), given.quiet);
    std::size_t visits = 0;
    for (const tune::MeasuredProblem& problem : all.problems) visits += problem.visits.size();
    print_json({{"problems", all.problems.size()}, {"visits", visits}});
}

Result<int> run_export(const TuneReportOptions& given) {
    if (given.out_csv.empty() && given.out_json.empty())
        return workbench::fail(ErrorKind::bad_argument, "give --out-csv or --out-json");
    IIR2D_RETURN_IF_ERROR(check_outputs({given.out_csv, given.out_json}, ""));
    IIR2D_TRY(const auto all, read_database(given.database));
    if (!given.out_csv.empty())
        IIR2D_RETURN_IF_ERROR(write_file_atomically(given.out_csv, tune::to_csv(all)));
    if (!given.out_json.empty())
        IIR2D_RETURN_IF_ERROR(write_file_atomically(given.out_json, tune::to_json(all)));
    say_moved("exported", all, given);
    return 0;
}

Result<int> run_import(const TuneReportOptions& given) {
    IIR2D_TRY(const auto text, read_file(given.json_file));
    auto all = tune::from_json(text);
    if (!all) return workbench::fail(all.error().kind, shown(given.json_file) + ": " + all.error().message);
    IIR2D_TRY(auto store, tune::Store::open(given.out));
    IIR2D_TRY(const bool is_empty, store.is_empty());
    if (!is_empty)
        return workbench::fail(ErrorKind::unwritable_output,
                               shown(given.out) + " has measurements: give a new file");
    IIR2D_RETURN_IF_ERROR(store.write_all(*all));
    say_moved("imported", *all, given);
    return 0;
}

// A command that reads a database.
CLI::App* add_reading(CLI::App& tune, const char* name, const char* help, TuneReportOptions& given) {
    CLI::App* command = tune.add_subcommand(name, help);
    command->add_option("DB", given.database, "A database that tune collect made")->required();
    add_quiet(*command, given.quiet);
    return command;
}

}  // namespace

void add_figures(CLI::App& command, bool& with_contended, bool& json) {
    command.add_flag("--with-contended", with_contended,
                     "Also count contended visits, in which the threads had to share their processors");
    command.add_flag("--json", json, "Print JSON");
}

Result<workbench::tune::Measurements> read_database(const std::string& file) {
    IIR2D_TRY(const auto store, workbench::tune::Store::open_to_read(file));
    return store.read_all();
}

void add_tune_reports(CLI::App& tune, Action& chosen) {
    auto given = std::make_shared<TuneReportOptions>();
    const auto runs = [given, &chosen](CLI::App* command, Result<int> (*run)(const TuneReportOptions&)) {
        command->callback(
            [given, run, &chosen] { chosen = [given, run](const Interruption&) { return run(*given); }; });
    };
    CLI::App* headroom = add_reading(
        tune, "headroom",
        "Print how much faster the best configs are than static, by family and knob, beside the noise",
        *given);
    headroom->add_option("--set", given->set,
                         "Only problems of this set: train or validation (default: both)");
    headroom
        ->add_option("--objective", given->objective,
                     "The time that counts: op (the call), use (the call and one read of its output) or both "
                     "(the worse of the two)")
        ->capture_default_str();
    headroom->add_option("--out-md", given->out_md, "Write the tables to this file instead of printing them");
    add_figures(*headroom, given->with_contended, given->json);
    runs(headroom, run_headroom);

    CLI::App* exported = add_reading(tune, "export", "Write a database as CSV or JSON", *given);
    exported->add_option("--out-csv", given->out_csv, "Write one row for each measurement to this file");
    exported->add_option("--out-json", given->out_json, "Write everything, samples included, to this file");
    exported->add_flag("--json", given->json, "Print the numbers of problems and visits as JSON");
    runs(exported, run_export);

    CLI::App* imported = tune.add_subcommand("import", "Make a database from a JSON file that export wrote");
    imported->add_option("FILE", given->json_file, "The JSON file")->required();
    imported->add_option("--out", given->out, "A new database")->required();
    imported->add_flag("--json", given->json, "Print the numbers of problems and visits as JSON");
    add_quiet(*imported, given->quiet);
    runs(imported, run_import);
}

}  // namespace app
