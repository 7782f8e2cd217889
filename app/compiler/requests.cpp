// SPDX-License-Identifier: MIT
#include "app/compiler/requests.h"

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/compiler/ir.h"
#include "app/compiler/nvidia.h"
#include "app/compiler/target.h"
#include "core/compile/ptx_text.h"
#include "core/compile/wire.h"
#include "core/support/try.h"

namespace app {

namespace {

using Json = nlohmann::json;
using workbench::Result;
using workbench::compile::Parcel;
using workbench::compile::PtxProgram;
using workbench::compile::to_base64;

// A question, with the bytes that it points into.
struct Asked {
    const Json& json;
    std::string_view bytes;

    // Sources, paths and definitions are bytes, not always UTF-8.
    std::string string_in(const Json& place) const {
        const auto piece = workbench::compile::piece_of(bytes, place.get<Parcel::Place>());
        if (!piece) throw std::runtime_error("a damaged question");  // ends the process
        return std::string(*piece);
    }
    std::vector<std::byte> bytes_in(const Json& place) const {
        const std::string text = string_in(place);
        const auto* begin = reinterpret_cast<const std::byte*>(text.data());
        return {begin, begin + text.size()};
    }
};

struct Program {
    Target target;
    std::vector<ClangSource> sources;
    std::vector<std::string> options;  // -I and -D
    bool with_lines = false;
    bool is_minimal = true;
};

std::string quoted_name(const std::string& name) {
    std::string made;
    for (const char c : name) {
        if (c == '"' || c == '\\') made += '\\';
        made += c == '\n' ? ' ' : c;
    }
    return made;
}

Program program_of(const Asked& asked, Target target) {
    const Json& question = asked.json;
    Program made{.target = std::move(target),
                 .sources = {},
                 .options = {},
                 .with_lines = question.at("lines"),
                 .is_minimal = question.at("minimal")};
    for (const Json& folder : question.at("include")) made.options.push_back("-I" + asked.string_in(folder));
    for (const Json& definition : question.at("define"))
        made.options.push_back("-D" + asked.string_in(definition));
    for (const Json& source : question.at("sources")) {
        made.sources.push_back({.text = asked.string_in(source.at("text")),
                                .name = quoted_name(asked.string_in(source.at("name"))),
                                .kernels = source.at("kernels").get<std::vector<std::string>>()});
    }
    return made;
}

using Texts = std::vector<std::vector<IrText>>;

Result<Texts> compile_by_nvrtc(const Program& program, std::span<const ClangSource> sources) {
    std::string text;
    for (const ClangSource& source : sources)
        text += "#line 1 \"" + source.name + "\"\n" + source.text + "\n";
    std::vector<std::string> options{"--gpu-architecture=compute_" + std::to_string(program.target.sm),
                                     "--std=c++17", "--fmad=false"};
    if (program.is_minimal) options.emplace_back("--minimal");
    if (program.with_lines) options.emplace_back("--generate-line-info");
    options.insert(options.end(), program.options.begin(), program.options.end());
    if (const std::string toolkit = toolkit_folder(); !program.is_minimal && !toolkit.empty()) {
        options.push_back("-I" + toolkit + "/include");
        options.push_back("-I" + toolkit + "/include/cccl");
    }
    // NVRTC looks for includes in the folder of this name first: in none that there is.
    IIR2D_TRY(const std::string ptx, compile_to_ptx(text, "/iir2d/program", options));
    IIR2D_TRY(const auto parts, PtxProgram::parse(ptx));
    Texts made(sources.size());
    for (std::size_t k = 0; k < sources.size(); ++k) {
        for (const std::string& kernel : sources[k].kernels.empty() ? parts.kernels() : sources[k].kernels) {
            IIR2D_TRY(auto cut, parts.cut(kernel, sources[k].name));
            IrText one{.kernel = kernel, .text = std::move(cut.text), .lines = std::move(cut.lines)};
            if (program.target.maker == Target::Maker::nvjitlink) {
                IIR2D_TRY(const auto cubin, assemble(one.text, program.target.sm));
                one = {.kernel = kernel, .text = to_base64(std::as_bytes(std::span(cubin))), .lines = {}};
            }
            made[k].push_back(std::move(one));
        }
    }
    return made;
}

Result<Texts> compile_by_clang(const Program& program, std::span<const ClangSource> sources) {
    ClangTask task{.is_device = program.target.sm != 0,
                   .optimisation = program.target.optimisation,
                   .sm = program.target.sm,
                   .libdevice = {},
                   .makes_ptx = program.target.makes_ptx,
                   .with_lines = program.with_lines,
                   .options = program.options};
    if (task.is_device) task.libdevice = libdevice_file();
    return compile_with_clang(sources, task);
}

// A program that does not compile is halved until the source at fault stands alone.
void compile_into(Json& items, Parcel& parcel, const Program& program, std::span<const ClangSource> sources) {
    if (sources.empty()) return;
    const auto texts = program.target.maker == Target::Maker::clang ? compile_by_clang(program, sources)
                                                                    : compile_by_nvrtc(program, sources);
    if (!texts && sources.size() == 1) {
        items.push_back({{"error", texts.error().message}});
        return;
    }
    if (!texts) {
        compile_into(items, parcel, program, sources.first(sources.size() / 2));
        compile_into(items, parcel, program, sources.subspan(sources.size() / 2));
        return;
    }
    for (const auto& of_source : *texts) {
        Json kernels = Json::array();
        for (const IrText& one : of_source) {
            kernels.push_back({{"kernel", one.kernel}, {"text", parcel.put(one.text)}});
            if (program.with_lines) kernels.back()["lines"] = one.lines;
        }
        items.push_back({{"kernels", std::move(kernels)}});
    }
}

Json compile(const Asked& asked, Parcel& parcel) {
    auto target = find_target(asked.json.at("target"));
    if (!target) return {{"refused", target.error().message}};
    const Program program = program_of(asked, *std::move(target));
    Json items = Json::array();
    compile_into(items, parcel, program, program.sources);
    return {{"items", std::move(items)}};
}

Json targets() {
    Json made = Json::array();
    for (const auto& one : target_states())
        made.push_back({{"target", one.target},
                        {"available", one.is_available},
                        {"version", one.version},
                        {"path", one.path},
                        {"flags", one.flags},
                        {"reason", one.reason},
                        {"stored_reason", one.stored_reason}});
    return {{"targets", std::move(made)}};
}

Json assemble_text(const Asked& asked, Parcel& parcel) {
    if (const auto linker = nvjitlink(); !linker) return {{"refused", linker.error().reason}};
    const auto cubin = assemble(asked.string_in(asked.json.at("text")), asked.json.at("sm"));
    if (!cubin) return {{"error", cubin.error().message}};
    return {{"kernels", Json::array({{{"kernel", ""},
                                      {"text", parcel.put(to_base64(std::as_bytes(std::span(*cubin))))}}})}};
}

HostTask task_of(const Asked& asked, const Json& run) {
    HostTask made{.text = asked.string_in(run.at("text")), .kernel = run.at("kernel"), .sets = {}};
    for (const Json& arguments : run.at("sets")) {
        auto& set = made.sets.emplace_back();
        for (const Json& argument : arguments)
            set.push_back({.bytes = asked.bytes_in(argument.at("bytes")),
                           .is_array = argument.at("array"),
                           .is_output = argument.at("output")});
    }
    return made;
}

Json json_of(const HostTask& task, const Result<void>& done, Parcel& parcel) {
    if (!done) return {{"error", done.error().message}};
    Json made = Json::array();
    for (const auto& set : task.sets) {
        Json outputs = Json::array();
        for (const HostArgument& argument : set) {
            if (argument.is_output) outputs.push_back(parcel.put(argument.bytes));
        }
        made.push_back(std::move(outputs));
    }
    return {{"sets", std::move(made)}};
}

Json run(const Asked& asked, Parcel& parcel) {
    if (clang_version().empty())
        return {{"refused", "host IR cannot be run: this build has no LLVM (IIR2D_LLVM)"}};
    std::vector<HostTask> tasks;
    for (const Json& one : asked.json.at("runs")) tasks.push_back(task_of(asked, one));
    const auto done = run_host_ir(tasks);
    Json items = Json::array();
    for (std::size_t k = 0; k < tasks.size(); ++k) items.push_back(json_of(tasks[k], done[k], parcel));
    return {{"items", std::move(items)}};
}

}  // namespace

Json answer_to(const Json& question, std::string_view bytes, Parcel& parcel) {
    const Asked asked{question, bytes};
    const std::string what = question.value("do", "");
    if (what == "targets") return targets();
    if (what == "compile") return compile(asked, parcel);
    if (what == "assemble") return assemble_text(asked, parcel);
    if (what == "run") return run(asked, parcel);
    return {{"refused", "the compiler process was not asked as it has to be"}};
}

}  // namespace app
