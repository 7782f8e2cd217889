// SPDX-License-Identifier: MIT
#include "core/inspect/source_kernels.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/compile/extract.h"
#include "core/support/try.h"

namespace workbench::inspect {

Result<std::vector<compile::TargetState>> source_targets(compile::Compiler& compiler,
                                                         const std::stop_token& stop) {
    IIR2D_TRY(std::vector<compile::TargetState> all, compiler.targets(stop));
    std::erase_if(all, [](const compile::TargetState& one) {
        return !compile::takes_cuda(one.target) || one.target.starts_with("cubin");
    });
    return all;
}

Result<CompiledSource> compile_source(compile::Compiler& compiler, const SourceRequest& request,
                                      const std::stop_token& stop) {
    if (request.text.size() > compile::longest_source)
        return fail(ErrorKind::bad_input, request.file + " is longer than 16 MiB");
    if (request.text.find('\0') != std::string::npos)
        return fail(ErrorKind::bad_input, request.file + " is not text: it has a byte 0");
    IIR2D_TRY(const auto targets, source_targets(compiler, stop));
    // Of the targets that data sets have the first that makes PTX here, else any.
    std::string name = request.target;
    const auto defaults = compile::default_targets();
    for (const bool any : {false, true}) {
        for (const compile::TargetState& one : targets) {
            const bool is_wanted = any || std::ranges::find(defaults, one.target) != defaults.end();
            if (name.empty() && is_wanted && one.is_available && compile::makes_ptx(one.target))
                name = one.target;
        }
    }
    const auto wanted = std::ranges::find(targets, name, &compile::TargetState::target);
    if (wanted == targets.end() || !wanted->is_available)
        return fail(ErrorKind::device_failure,
                    wanted != targets.end()
                        ? "the target " + wanted->target + " is not available: " + wanted->reason
                    : targets.empty() ? std::string("there is no compiler")
                                      : "there is no compiler: " + targets.front().reason);
    compile::CompileOptions options{.include_folders = {},
                                    .definitions = request.definitions,
                                    .with_lines = false,
                                    .is_minimal = false,
                                    .patience = compile::patience_of_extract};
    const std::filesystem::path folder = std::filesystem::path(request.file).parent_path();
    if (!folder.empty()) options.include_folders.push_back(folder.string());
    options.include_folders.insert(options.include_folders.end(), request.include_folders.begin(),
                                   request.include_folders.end());
    const compile::Source source{.text = request.text, .name = request.file, .kernels = {}};
    IIR2D_TRY(compile::Compiled plain, compile::compile_one(compiler, wanted->target, source, options, stop));
    if (plain.kernels.empty())
        return fail(ErrorKind::bad_input,
                    request.file + " has no kernel: no function of it is __global__ and compiled");
    options.with_lines = true;
    IIR2D_TRY(const compile::Compiled marked,
              compile::compile_one(compiler, wanted->target, source, options, stop));
    CompiledSource made{.target = wanted->target, .compiler = wanted->version, .kernels = {}};
    for (compile::KernelText& one : plain.kernels) {
        SourceKernel kernel{.symbol = one.kernel,
                            .name = compile::readable(one.kernel),
                            .text = std::move(one.text),
                            .lines = {},
                            .has_lines = false};
        const auto with_lines = std::ranges::find(marked.kernels, one.kernel, &compile::KernelText::kernel);
        if (with_lines != marked.kernels.end() && with_lines->text == kernel.text) {
            kernel.lines = with_lines->lines;
            kernel.has_lines = true;
        }
        made.kernels.push_back(std::move(kernel));
    }
    return made;
}

int line_of_message(const std::string& message, const std::string& file) {
    if (!message.starts_with(file + ":")) return 0;
    int line = 0;
    const char* const begin = message.data() + file.size() + 1;
    const auto [end, error] = std::from_chars(begin, message.data() + message.size(), line);
    return error == std::errc() && end != message.data() + message.size() && *end == ':' ? line : 0;
}

}  // namespace workbench::inspect
