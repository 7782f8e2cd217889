// SPDX-License-Identifier: MIT
// synth: kernels and their IR. What compilers there are, and the IR of somebody's kernel.
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/compile/compiler.h"
#include "core/compile/extract.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"

namespace app {

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

// Whether a kernel is inside the language of core/synth, and if not, why: with that, `extract` gives host IR,
// verification and the backward kernel too. Nothing of the language is in this build yet.
struct Inside {
    std::optional<bool> is_inside;
    std::string reason = "this build has no parser of the kernel language";
};

struct ExtractOptions {
    compile::ExtractRequest request;
    bool backward = false;
    std::string out;
    bool json = false;
};

Json json_of(const compile::Extracted& made, const ExtractOptions& options, const Inside& inside) {
    Json parameters = Json::array();
    for (const auto& one : made.parameters)
        parameters.push_back({{"name", one.name}, {"type", one.type}, {"bytes", one.bytes}});
    Json ir = Json::array();
    Json lines = Json::object();
    for (const auto& one : made.ir) {
        ir.push_back({{"target", one.target},
                      {"direction", "forward"},
                      {"compiler", one.compiler},
                      {"text", one.text},
                      {"sha256", sha256_hex(one.text)},
                      {"bytes", one.text.size()},
                      {"lines", std::ranges::count(one.text, '\n')}});
        lines[one.target] = one.lines ? Json(*one.lines) : Json();
    }
    return {{"kernel", made.symbol},
            {"params", parameters},
            {"inside", inside.is_inside ? Json(*inside.is_inside) : Json()},
            {"reason", inside.reason},
            {"source", {{"cuda", options.request.text}, {"cpp", nullptr}}},
            {"ir", ir},
            {"backward", nullptr},
            {"verification", Json::array()},
            {"lines", options.request.with_lines ? lines : Json()}};
}

std::string text_of(const compile::Extracted& made, const Inside& inside) {
    std::string text = "kernel " + made.symbol + "\n";
    for (const auto& one : made.parameters)
        text += "  " + one.type + " " + one.name + ": " + std::to_string(one.bytes) + " bytes\n";
    text += inside.reason + "\n";
    for (const auto& one : made.ir) {
        text += "\n" + one.target + " by " + one.compiler + "\n" + one.text;
        if (one.lines) {
            text += "lines (IR:source):";
            for (const auto& [line, source] : *one.lines)
                text += " " + std::to_string(line) + ":" + std::to_string(source);
            text += "\n";
        }
    }
    return text;
}

Result<int> run_extract(const ExtractOptions& options, const Interruption& interruption) {
    ExtractOptions complete = options;
    const Inside inside;
    if (options.backward)
        return workbench::fail(ErrorKind::bad_argument,
                               "--backward is for kernels of the language: " + inside.reason);
    complete.request.targets = split_list(options.request.targets);
    if (!options.out.empty()) IIR2D_RETURN_IF_ERROR(check_outputs({options.out}, ""));
    IIR2D_TRY(complete.request.text, read_file(options.request.file, compile::longest_source));
    compile::Compiler compiler;
    IIR2D_TRY(const auto made, compile::extract(compiler, complete.request, interruption.token()));
    for (const std::string& left_out : made.unavailable) note("left out: " + left_out, false);
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
    return 0;
}

}  // namespace

void add_synth_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("synth", "Kernels and their IR by real compilers (docs/compiler.md)");
    command->require_subcommand(1);
    add_synth_generate(*command, chosen);
    add_synth_show(*command, chosen);
    add_synth_verify(*command, chosen);
    auto json = std::make_shared<bool>(false);
    CLI::App* targets = command->add_subcommand("targets", "List what can be compiled to here, and why not");
    targets->add_flag("--json", *json, "As JSON");
    targets->callback([json, &chosen] {
        chosen = [json](const Interruption& interruption) { return run_targets(interruption, *json); };
    });

    auto options = std::make_shared<ExtractOptions>();
    CLI::App* extract = command->add_subcommand("extract", "Print the IR of one kernel of a CUDA source");
    extract->add_option("FILE", options->request.file, "A CUDA source, compiled as it is")->required();
    extract->add_option("--kernel", options->request.kernel, "The kernel's name, as written or as a symbol")
        ->required();
    extract->add_option("--targets", options->request.targets,
                        "Separated by commas; default ptx-nvrtc:sm_90");
    extract->add_flag("--backward", options->backward,
                      "The backward kernel too, of a kernel of the language");
    extract
        ->add_option("-I", options->request.include_folders,
                     "Folders to look for includes in, after FILE's own")
        ->allow_extra_args(false);
    extract->add_option("-D", options->request.definitions, "NAME or NAME=VALUE, as #define")
        ->allow_extra_args(false);
    extract->add_flag("--lines", options->request.with_lines,
                      "Which line of the IR is of which line of the source");
    extract->add_option("--out", options->out, "A file to write instead of printing");
    extract->add_flag("--json", options->json, "As JSON");
    extract->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) { return run_extract(*options, interruption); };
    });
}

}  // namespace app
