// SPDX-License-Identifier: MIT
// synth: kernels and their IR. What compilers there are, and the IR of somebody's kernel.
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/compile/compiler.h"
#include "core/compile/extract.h"
#include "core/inspect/extracted.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/adjoint.h"
#include "core/synth/print.h"
#include "core/synth/record.h"

namespace app {

void add_synth_export(CLI::App& synth, Action& chosen);    // synth_export.cpp
void add_synth_generate(CLI::App& synth, Action& chosen);  // synth_generate.cpp
void add_synth_show(CLI::App& synth, Action& chosen);      // synth_show.cpp
void add_synth_verify(CLI::App& synth, Action& chosen);    // synth_verify.cpp

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

Result<int> run_targets(const Interruption& interruption, bool json) {
    compile::Compiler compiler;
    IIR2D_TRY(const auto targets, compiler.targets(interruption.token()));
    const auto null_if_empty = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    if (json) {
        Json made = Json::array();
        for (const auto& one : targets)
            made.push_back({{"target", one.target},
                            {"available", one.is_available},
                            {"version", null_if_empty(one.version)},
                            {"path", null_if_empty(one.path)},
                            {"reason", null_if_empty(one.reason)}});
        print_json(made);
        return 0;
    }
    for (const auto& one : targets)
        std::printf("%-18s %s\n", one.target.c_str(),
                    shown(one.is_available ? one.path.empty() ? one.version : one.version + "  " + one.path
                                           : "not available: " + one.reason)
                        .c_str());
    return 0;
}

struct ExtractOptions {
    compile::ExtractRequest request;
    bool backward = false;
    std::string out;
    bool json = false;
};

// Null: it was not asked for, or the kernel is outside.
Json backward_of(const inspect::Inside& inside, bool asked) {
    return asked && inside.is_inside ? Json(synth::backward_json(inside.backward)) : Json();
}

Json json_of(const compile::Extracted& made, const ExtractOptions& options, const inspect::Inside& inside) {
    Json parameters = Json::array();
    for (const auto& one : made.parameters)
        parameters.push_back({{"name", one.name}, {"type", one.type}, {"bytes", one.bytes}});
    Json ir = Json::array();
    Json lines = Json::object();
    for (const auto& one : made.ir) {
        ir.emplace_back(synth::ir_json(one.target, false, one.compiler, one.text));
        lines[one.target] = one.lines ? Json(*one.lines) : Json();
    }
    for (const auto& one : inside.texts) {
        const synth::Target& target = inside.targets[one.target];
        ir.emplace_back(
            synth::ir_json(target.name, one.is_backward, target.compiler + " " + target.version, one.text));
    }
    Json verification = Json::array();
    for (const auto& one : inside.verifications)
        verification.emplace_back(synth::verification_json(one, inside.targets));
    return {{"kernel", made.symbol},
            {"params", parameters},
            {"inside", inside.is_inside},
            {"reason", inside.reason.empty() ? Json() : Json(inside.reason)},
            {"source",
             {{"cuda", options.request.text},
              {"cpp", inside.is_inside ? Json(synth::print_cpp(inside.tree)) : Json()}}},
            {"ir", ir},
            {"backward", backward_of(inside, options.backward)},
            {"verification", verification},
            {"lines", options.request.with_lines ? lines : Json()}};
}

std::string text_of(const compile::Extracted& made, const inspect::Inside& inside) {
    std::string text = "kernel " + made.symbol + "\n";
    for (const auto& one : made.parameters)
        text += "  " + one.type + " " + one.name + ": " + std::to_string(one.bytes) + " bytes\n";
    text += inside.is_inside ? "it is inside the language\n" : "";
    text += inside.reason.empty() ? "" : inside.reason + "\n";
    for (const auto& one : inside.verifications)
        text +=
            one.level + " " + inside.targets[one.target].name + (one.is_backward ? ", backward: " : ": ") +
            (one.is_exact ? "exact"
                          : "within its bounds, at most " + format_number(one.worst_of_bound) + " of them") +
            "\n";
    if (!inside.backward.reason.empty())
        text += "it has no backward kernel: " + synth::explained_reason(inside.backward.reason) + "\n";
    for (const auto& one : made.ir) {
        text += "\n" + one.target + " by " + one.compiler + "\n" + one.text;
        if (one.lines) {
            text += "lines (IR:source):";
            for (const auto& [line, source] : *one.lines)
                text += " " + std::to_string(line) + ":" + std::to_string(source);
            text += "\n";
        }
    }
    for (const auto& one : inside.texts) {
        const synth::Target& target = inside.targets[one.target];
        text += "\n" + target.name + (one.is_backward ? ", backward, by " : " by ") + target.compiler + " " +
                target.version + "\n" + one.text;
    }
    return text;
}

Result<int> run_extract(const ExtractOptions& options, const Interruption& interruption) {
    ExtractOptions complete = options;
    complete.request.targets = split_list(options.request.targets);
    if (!options.out.empty()) IIR2D_RETURN_IF_ERROR(check_outputs({options.out}, ""));
    IIR2D_TRY(complete.request.text, read_file(options.request.file, compile::longest_source));
    compile::Compiler compiler;
    IIR2D_TRY(const auto made, compile::extract(compiler, complete.request, interruption.token()));
    for (const std::string& left_out : made.unavailable) note("left out: " + left_out, false);
    IIR2D_TRY(const auto inside,
              inspect::look_inside(made, complete.request, options.backward, interruption.token()));
    if (options.backward && !inside.is_inside)
        return workbench::fail(ErrorKind::bad_argument,
                               "--backward is for kernels of the language: " + inside.reason);
    if (options.request.with_lines) {
        for (const auto& one : made.ir) {
            if (!one.lines)
                note("no lines of " + one.target + ": with line information it is another text", false);
        }
    }
    const std::string text =
        options.json
            ? json_of(made, complete, inside).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
            : text_of(made, inside);
    if (!options.out.empty()) {
        IIR2D_RETURN_IF_ERROR(write_file_atomically(options.out, text));
    } else if (options.json) {
        print_json(json_of(made, complete, inside));
    } else {
        print_text(text);
    }
    if (!inside.mismatch.empty()) return workbench::fail(ErrorKind::check_failed, inside.mismatch);
    return 0;
}

}  // namespace

void add_synth_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "synth", "Generate kernels and compile them to IR by real compilers (docs/compiler.md)");
    command->require_subcommand(1);
    add_synth_generate(*command, chosen);
    add_synth_export(*command, chosen);
    add_synth_show(*command, chosen);
    add_synth_verify(*command, chosen);
    auto json = std::make_shared<bool>(false);
    CLI::App* targets = command->add_subcommand("targets", "List the targets, and why one is not available");
    targets->add_flag("--json", *json, "Print JSON");
    targets->callback([json, &chosen] {
        chosen = [json](const Interruption& interruption) { return run_targets(interruption, *json); };
    });

    auto options = std::make_shared<ExtractOptions>();
    CLI::App* extract = command->add_subcommand("extract", "Print the IR of one kernel of a CUDA source");
    extract->add_option("FILE", options->request.file, "A CUDA source, which is compiled unchanged")
        ->required();
    extract
        ->add_option("--kernel", options->request.kernel,
                     "The kernel's name, as in the source or as a symbol")
        ->required();
    extract
        ->add_option("--targets", options->request.targets,
                     "Targets, separated by commas (default: ptx-nvrtc:sm_90)")
        ->allow_extra_args(false);
    extract->add_flag("--backward", options->backward,
                      "Also make the backward kernel, of a kernel in the kernel language");
    extract
        ->add_option("-I", options->request.include_folders,
                     "Folders in which includes are searched for, after FILE's own")
        ->allow_extra_args(false);
    extract->add_option("-D", options->request.definitions, "Define a macro: NAME or NAME=VALUE")
        ->allow_extra_args(false);
    extract->add_flag("--lines", options->request.with_lines,
                      "Also print which line of the source each line of the IR belongs to");
    extract->add_option("--out", options->out, "Write to this file instead of printing");
    extract->add_flag("--json", options->json, "Print JSON");
    extract->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) { return run_extract(*options, interruption); };
    });
}

}  // namespace app
