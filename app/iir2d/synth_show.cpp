// SPDX-License-Identifier: MIT
// synth stats and show: what is in a data set, and one record of it.
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/ptx_values.h"
#include "core/inspect/toolchain.h"
#include "core/solve/kernels.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/adjoint.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/data_set_reader.h"
#include "core/synth/expect.h"
#include "core/synth/judge.h"
#include "core/synth/parse.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct SynthStatsOptions {
    std::string folder;
    std::string out_md;
    bool json = false;
};

Result<int> run_synth_stats(const SynthStatsOptions& options, const Interruption& interruption) {
    IIR2D_RETURN_IF_ERROR(check_outputs({options.out_md}, ""));
    IIR2D_TRY(const auto statistics, synth::read_statistics(options.folder, interruption.token()));
    if (!options.out_md.empty())
        IIR2D_RETURN_IF_ERROR(write_file_atomically(options.out_md, statistics.markdown()));
    if (options.json)
        print_json(statistics.json());
    else if (options.out_md.empty())
        print_text(statistics.markdown());
    return 0;
}

struct SynthShowOptions {
    std::string folder;
    std::string kernel;
    std::string id;
    std::string target;
    bool backward = false;
    bool data = false;
    bool json = false;
};

Json values_of(const synth::Argument& argument) {
    Json made = Json::array();
    const synth::Type type = synth::element(argument.type);
    for (std::size_t k = 0; k < argument.slots.size(); ++k) {
        const std::uint64_t bits = argument.slots[k];
        switch (type) {
            case synth::Type::i32:
                made.push_back(static_cast<std::int32_t>(bits));
                break;
            case synth::Type::i64:
                made.push_back(static_cast<std::int64_t>(bits));
                break;
            case synth::Type::f32:
            case synth::Type::f64:
                made.push_back(json_float(argument.number(k), type == synth::Type::f32));
                break;
            default:
                made.push_back(bits);
        }
    }
    return made;
}

// What the kernel, or its backward one, is run on and what it is to give.
Result<Json> data_of(const nlohmann::json& record, bool backward) {
    IIR2D_TRY(const synth::Tree forward, synth::parse(record["source"]["cuda"].get<std::string>()));
    const synth::Tree tree = backward ? synth::adjoint_of(forward).tree : forward;
    const auto wanted = synth::expect(tree, record["canonical"].get<std::string>());
    if (!wanted.error.empty())
        return workbench::fail(ErrorKind::bad_input,
                               "the record cannot be run: " + wanted.error + "; see synth verify");
    Json made = Json::array();
    for (std::size_t k = 0; k < wanted.expected.sets.size(); ++k) {
        const auto& set = wanted.expected.sets[k];
        Json inputs = Json::array(), outputs = Json::array();
        for (std::size_t p = 0; p < set.inputs.size(); ++p) {
            const synth::Symbol& symbol = tree.symbols[tree.kernel.parameters[p]];
            Json one{{"name", symbol.name}, {"type", synth::info(symbol.type).name}};
            if (symbol.kind != synth::SymbolKind::output) {
                one["values"] = values_of(set.inputs[p]);
                inputs.push_back(one);
            }
            if (!synth::is_written(symbol.kind)) continue;
            one["values"] = values_of(set.outputs[p]);
            Json bounds = Json::array();
            for (std::size_t e = 0; e < set.outputs[p].slots.size(); ++e)
                bounds.push_back(
                    json_float(set.outputs[p].extra.empty() ? 0 : set.outputs[p].extra[e], false));
            one["bounds"] = std::move(bounds);
            outputs.push_back(std::move(one));
        }
        made.push_back({{"set", k}, {"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}});
    }
    return made;
}

std::string text_of(const Json& data) {
    std::string made;
    for (const Json& set : data) {
        for (const char* side : {"inputs", "outputs"}) {
            for (const Json& one : set[side]) {
                made += "\nset " + set["set"].dump() + ", " + side + ", " + one["name"].get<std::string>() +
                        " (" + one["type"].get<std::string>() + "):";
                for (const Json& value : one["values"])
                    made += " " + (value.is_string() ? value.get<std::string>() : value.dump());
                if (!one.contains("bounds")) continue;
                made += "\n  within:";
                for (const Json& bound : one["bounds"])
                    made += " " + (bound.is_string() ? bound.get<std::string>() : bound.dump());
            }
        }
    }
    return made.empty() ? made : made + "\n";
}

// Leaves of a record what was asked for.
Result<void> keep_asked(nlohmann::json& record, const SynthShowOptions& options) {
    const std::string direction = options.backward ? "backward" : "forward";
    if (options.backward && !record.contains("backward"))
        return workbench::fail(ErrorKind::bad_argument, "the data set was made without --backward");
    if (options.backward && record["backward"].contains("reason"))
        return workbench::fail(ErrorKind::bad_argument, "the kernel has no backward one: " +
                                                            record["backward"]["reason"].get<std::string>());
    nlohmann::json kept = nlohmann::json::array();
    std::vector<std::string> there;
    for (const auto& ir : record["ir"]) {
        if (ir["direction"] != direction) continue;
        there.push_back(ir["target"].get<std::string>());
        if (options.target.empty() || there.back() == options.target) kept.push_back(ir);
    }
    if (kept.empty() && !options.target.empty())
        return workbench::fail(ErrorKind::bad_argument, "the record has no text for " + options.target +
                                                            ": it has " + joined(there, ", "));
    record["ir"] = std::move(kept);
    return {};
}

std::string text_of(const nlohmann::json& record, bool backward) {
    const auto text = [](const nlohmann::json& json) { return json.get<std::string>(); };
    std::string made =
        text(record["id"]) + "  " + text(record["name"]) + "\n" + text(record["category"]) + ", " +
        text(record["complexity"]) + ", " + text(record.value("split", nlohmann::json("no split"))) + "; " +
        joined(record["ops"], " ", [](const auto& op) { return op.template get<std::string>(); }) + "\n\n";
    const auto& source = backward ? record["backward"]["source"] : record["source"];
    made += text(source["cuda"]) + "\n" + text(source["cpp"]);
    for (const auto& ir : record["ir"]) made += "\n" + text(ir["target"]) + "\n" + text(ir["text"]);
    return made;
}

// A kernel of the solvers as a record, compiled and run now: of category "solve", without a split.
Result<nlohmann::json> record_of_solver(const SynthShowOptions& options, const std::stop_token& stop) {
    constexpr std::string_view prefix = "solve/";
    if (!options.kernel.starts_with(prefix))
        return workbench::fail(ErrorKind::bad_argument, "--kernel is solve/NAME");
    IIR2D_TRY(const solve::Kernel* const kernel, solve::find_kernel(options.kernel.substr(prefix.size())));
    std::vector<std::string> named;
    if (!options.target.empty()) named.push_back(options.target);
    IIR2D_TRY(const inspect::ChosenTargets chosen, inspect::choose_targets(named, stop));
    for (const std::string& left_out : chosen.unavailable) note("left out: " + left_out, options.json);
    const synth::JudgeOptions judging{.targets = chosen.targets, .backward = kernel->no_backward.empty()};
    IIR2D_TRY(const auto toolchain, inspect::make_toolchain({stop}));
    synth::Judged asked;
    asked.candidate.tree = solve::tree_of(kernel->name);
    asked.candidate.canonical = synth::canonical_hash(asked.candidate.tree);
    asked.candidate.skeleton = synth::skeleton_hash(asked.candidate.tree);
    asked.candidate.ops = synth::ops_of(asked.candidate.tree);
    std::vector<synth::Judged> batch;
    batch.push_back(std::move(asked));
    IIR2D_TRY(batch, synth::judge(std::move(batch), judging, *toolchain));
    if (!batch[0].reason.empty())
        return workbench::fail(ErrorKind::check_failed,
                               options.kernel + ": " + batch[0].reason + ": " + batch[0].detail);
    auto record = nlohmann::json::parse(synth::record_line(batch[0], judging));
    record["id"] = options.kernel;
    record["category"] = "solve";
    record.erase("split");
    record.erase("index");
    if (!kernel->no_backward.empty()) record["backward"] = {{"reason", kernel->no_backward}};
    return record;
}

Result<nlohmann::json> asked_record(const SynthShowOptions& options, const std::stop_token& stop) {
    const bool of_data_set = !options.folder.empty() || !options.id.empty();
    if (of_data_set == !options.kernel.empty() || options.folder.empty() != options.id.empty())
        return workbench::fail(ErrorKind::bad_argument,
                               "synth show takes DIR and --id, or --kernel solve/NAME");
    if (!of_data_set) return record_of_solver(options, stop);
    return synth::find_record(options.folder, options.id, stop);
}

Result<int> run_synth_show(const SynthShowOptions& options, const Interruption& interruption) {
    IIR2D_TRY(auto record, asked_record(options, interruption.token()));
    IIR2D_RETURN_IF_ERROR(keep_asked(record, options));
    Json data;
    if (options.data) {
        IIR2D_TRY(data, data_of(record, options.backward));
    }
    if (options.json)
        print_json(options.data ? data : Json(record));
    else
        print_text(text_of(record, options.backward) + text_of(data));
    return 0;
}

}  // namespace

void add_synth_show(CLI::App& synth, Action& chosen) {
    auto stats = std::make_shared<SynthStatsOptions>();
    CLI::App* command = synth.add_subcommand("stats", "Count what is in a data set");
    command->add_option("DIR", stats->folder, "A data set")->required();
    command->add_option("--out-md", stats->out_md, "Write the tables to this file instead of printing them");
    command->add_flag("--json", stats->json, "Print JSON");
    command->callback([stats, &chosen] {
        chosen = [stats](const Interruption& interruption) { return run_synth_stats(*stats, interruption); };
    });

    auto options = std::make_shared<SynthShowOptions>();
    CLI::App* show = synth.add_subcommand("show", "Print a record of a data set: its sources and IR");
    show->add_option("DIR", options->folder, "A data set");
    show->add_option("--id", options->id, "The record's id, such as array-0123456789abcdef");
    show->add_option("--kernel", options->kernel,
                     "solve/NAME: a kernel of the solvers, compiled and run now");
    show->add_option("--target", options->target, "Only the IR of this target");
    show->add_flag("--backward", options->backward, "Show the backward kernel");
    show->add_flag("--data", options->data,
                   "Print the inputs that it is run on, and the expected outputs with their bounds");
    show->add_flag("--json", options->json, "Print the record as JSON; with --data only the data");
    show->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) {
            return run_synth_show(*options, interruption);
        };
    });
}

}  // namespace app
