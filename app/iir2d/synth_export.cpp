// SPDX-License-Identifier: MIT
// synth diff and export: two texts or two data sets compared, and data sets in other forms.
#include <map>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/synth_jax.h"
#include "core/support/try.h"
#include "core/synth/data_set_reader.h"
#include "core/synth/difference.h"
#include "core/synth/export.h"
#include "core/synth/generate.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct SynthDiffOptions {
    std::vector<std::string> folders;
    std::string id;
    std::vector<std::string> between;
    bool json = false;
};

Result<std::string> text_for(const nlohmann::json& record, const std::string& target) {
    std::string there;
    for (const auto& ir : record["ir"]) {
        if (ir["direction"] != "forward") continue;
        if (ir["target"] == target) return ir["text"].get<std::string>();
        there += (there.empty() ? "" : ", ") + ir["target"].get<std::string>();
    }
    return workbench::fail(ErrorKind::bad_argument,
                           "the record has no text for \"" + target + "\": it has " + there);
}

Result<int> run_diff_of_targets(const SynthDiffOptions& options, const Interruption& interruption) {
    const auto targets = split_list(options.between);
    if (targets.size() != 2)
        return workbench::fail(ErrorKind::bad_argument, "--between is two targets, separated by a comma");
    IIR2D_TRY(const auto record, synth::find_record(options.folders[0], options.id, interruption.token()));
    IIR2D_TRY(const std::string first, text_for(record, targets[0]));
    IIR2D_TRY(const std::string second, text_for(record, targets[1]));
    const auto mix_a = synth::instruction_mix(first), mix_b = synth::instruction_mix(second);
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> mix;
    for (const auto& [word, count] : mix_a) mix[word].first = count;
    for (const auto& [word, count] : mix_b) mix[word].second = count;
    const std::string difference = synth::unified_difference(first, second, targets[0], targets[1]);
    if (options.json) {
        Json instructions = Json::array();
        for (const auto& [word, counts] : mix)
            instructions.push_back({{"instruction", word}, {"counts", {counts.first, counts.second}}});
        print_json({{"id", options.id},
                    {"between", targets},
                    {"instructions", instructions},
                    {"difference", difference}});
        return 0;
    }
    std::string text = "| instruction | " + targets[0] + " | " + targets[1] + " |\n| --- | --- | --- |\n";
    for (const auto& [word, counts] : mix)
        text += "| " + word + " | " + std::to_string(counts.first) + " | " + std::to_string(counts.second) +
                " |\n";
    print_text(text + "\n" + difference);
    return 0;
}

Result<int> run_synth_diff(const SynthDiffOptions& options, const Interruption& interruption) {
    const bool of_targets = !options.id.empty() || !options.between.empty();
    if (of_targets) {
        if (options.folders.size() != 1 || options.id.empty() || options.between.empty())
            return workbench::fail(ErrorKind::bad_argument,
                                   "two targets of a record are compared with DIR --id ID --between T1,T2");
        return run_diff_of_targets(options, interruption);
    }
    if (options.folders.size() != 2)
        return workbench::fail(ErrorKind::bad_argument,
                               "give two data sets, or one with --id ID --between T1,T2");
    IIR2D_TRY(const auto made,
              synth::compare_data_sets(options.folders[0], options.folders[1], interruption.token()));
    Json json;
    std::string text = "| | first | second | in common |\n| --- | --- | --- | --- |\n";
    for (const auto& [name, one] : {std::pair("records", made.records),
                                    std::pair("skeletons", made.skeletons), std::pair("pairs", made.pairs)}) {
        json[name] = {{"first", one.first}, {"second", one.second}, {"common", one.both}};
        text += std::string("| ") + name + " | " + std::to_string(one.first) + " | " +
                std::to_string(one.second) + " | " + std::to_string(one.both) + " |\n";
    }
    if (options.json)
        print_json(json);
    else
        print_text(text);
    return 0;
}

struct SynthExportOptions {
    std::string folder;
    std::string out;
    std::string form;
    std::string target;
    std::string split;
    std::string category;
    bool lower = false;
};

Result<int> run_synth_export(const SynthExportOptions& given, const Interruption& interruption) {
    synth::ExportOptions options{.folder = given.folder,
                                 .out = given.out,
                                 .target = given.target,
                                 .split = given.split,
                                 .category = given.category};
    const auto wrong = [](const std::string& what) { return workbench::fail(ErrorKind::bad_argument, what); };
    const bool is_jax = given.form == "jax";
    if (given.lower && !is_jax) return wrong("--lower is for --as jax");
    if (is_jax && !given.target.empty())
        return wrong("--target is for IR of the data set: --as jax has none");
    if (is_jax)
        options.form = synth::ExportOptions::Form::seed_jax;
    else if (given.form == "pairs")
        options.form = synth::ExportOptions::Form::pairs;
    else if (given.form == "seed-jax")
        options.form = synth::ExportOptions::Form::seed_jax;
    else if (given.form == "seed-warp")
        options.form = synth::ExportOptions::Form::seed_warp;
    else
        return wrong("there is no form \"" + given.form + "\": pairs, seed-jax, seed-warp and jax");
    if (!given.split.empty() && given.split != "train" && given.split != "valid" && given.split != "test")
        return wrong("there is no split \"" + given.split + "\": train, valid and test");
    if (!given.category.empty() && !synth::category_from_name(given.category))
        return wrong("there is no category \"" + given.category + "\"");
    if (is_jax) return export_jax_command(options, given.lower, interruption);
    IIR2D_RETURN_IF_ERROR(options.form == synth::ExportOptions::Form::pairs ? check_outputs({given.out}, "")
                                                                            : Result<void>{});
    IIR2D_TRY(const auto count, synth::export_data_set(options, interruption.token()));
    print_text(std::to_string(count) +
               (options.form == synth::ExportOptions::Form::pairs ? " pairs\n" : " kernels\n"));
    return 0;
}

}  // namespace

void add_synth_export(CLI::App& synth, Action& chosen) {
    auto diff = std::make_shared<SynthDiffOptions>();
    CLI::App* command =
        synth.add_subcommand("diff", "Compare two texts of a record, or what two data sets have in common");
    command->add_option("DIR", diff->folders, "A data set, or two to compare")->required()->expected(1, 2);
    command->add_option("--id", diff->id, "The record's id");
    command->add_option("--between", diff->between, "Two targets, separated by a comma")
        ->allow_extra_args(false);
    command->add_flag("--json", diff->json, "Print JSON");
    command->callback([diff, &chosen] {
        chosen = [diff](const Interruption& interruption) { return run_synth_diff(*diff, interruption); };
    });

    auto options = std::make_shared<SynthExportOptions>();
    CLI::App* exported = synth.add_subcommand("export", "Write a data set in another format");
    exported->add_option("DIR", options->folder, "A data set")->required();
    exported->add_option("--out", options->out, "A file for pairs, a new folder for the other formats")
        ->required();
    exported->add_option("--as", options->form, "The format: pairs, seed-jax, seed-warp or jax")->required();
    exported->add_flag(
        "--lower", options->lower,
        "jax: also lower each kernel to StableHLO and run it, by the Python that IIR2D_PYTHON names");
    exported->add_option("--target", options->target, "Only the IR of this target");
    exported->add_option("--split", options->split, "Only this split: train, valid or test");
    exported->add_option("--category", options->category, "Only this category");
    exported->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) {
            return run_synth_export(*options, interruption);
        };
    });
}

}  // namespace app
