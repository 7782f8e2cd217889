// SPDX-License-Identifier: MIT
#include "core/inspect/kernel_run.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/support/files.h"
#include "core/support/shell.h"
#include "core/support/try.h"

namespace workbench::inspect {

namespace {

Result<std::array<std::uint32_t, 3>> parse_shape(const std::string& what, const std::string& text) {
    std::array<std::uint32_t, 3> made{1, 1, 1};
    const auto wrong = [&] {
        return fail(ErrorKind::bad_argument,
                    what + ": \"" + text.substr(0, 40) + "\" is not X, X,Y or X,Y,Z, each at least 1");
    };
    std::size_t count = 0;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t next = std::min(text.find(',', at), text.size());
        if (count == made.size()) return wrong();
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + next, made[count]);
        if (error != std::errc() || end != text.data() + next || made[count] == 0) return wrong();
        ++count;
        at = next + 1;
    }
    return made;
}

}  // namespace

RunRequest proposed_run(const ptx::EntryInfo& entry) {
    RunRequest made;
    if (entry.required_block[0] != 0)
        made.block = std::to_string(entry.required_block[0]) + "," + std::to_string(entry.required_block[1]) +
                     "," + std::to_string(entry.required_block[2]);
    for (const ptx::ParameterInfo& parameter : entry.parameters)
        made.arguments.push_back(ptx::proposed_argument(parameter));
    return made;
}

Result<RunOutcome> run_kernel(const ptx::Module& module, const std::string& kernel, const RunRequest& request,
                              const std::stop_token& stop) {
    const ptx::EntryInfo* const entry = module.entry(kernel);
    if (entry == nullptr) return fail(ErrorKind::bad_argument, "the PTX has no kernel \"" + kernel + "\"");
    ptx::Launch launch{.kernel = kernel,
                       .shared_bytes = request.shared_bytes,
                       .seed = request.seed,
                       .budget = request.budget,
                       .checks = request.all_checks ? ptx::Checks::all : ptx::Checks::bounds,
                       .stop = stop};
    IIR2D_TRY(launch.grid, parse_shape("Blocks", request.grid));
    IIR2D_TRY(launch.block, parse_shape("Threads a block", request.block));
    std::vector<ptx::TextArgument> arguments;
    const auto read = [](const std::string& path, std::size_t most) { return read_file(path, most); };
    for (const std::string& text : request.arguments) {
        IIR2D_TRY(ptx::TextArgument argument, ptx::parse_argument(text, arguments.size(), read));
        arguments.push_back(std::move(argument));
    }
    ptx::Memory memory;
    IIR2D_TRY(const auto parameters, ptx::place_arguments(*entry, arguments, memory));
    launch.parameters = parameters;
    RunOutcome made;
    IIR2D_TRY(made.outcome, ptx::run(module, launch, memory));
    ptx::take_outputs(arguments, memory);
    for (const ptx::TextArgument& argument : arguments) {
        if (!argument.is_output()) continue;
        RunOutput output{
            .index = argument.index, .type = argument.type_name(), .count = argument.count(), .values = {}};
        for (std::size_t k = 0; k < std::min(output.count, most_values_shown); ++k)
            output.values += (k == 0 ? "" : ", ") + ptx::value_text(argument, k);
        if (output.count > most_values_shown) output.values += ", ...";
        made.outputs.push_back(std::move(output));
    }
    return made;
}

std::string command_line(const std::string& file, const std::string& kernel, const RunRequest& request) {
    std::string made = "iir2d ptx run " + shell_quoted(file) + " --kernel " + shell_quoted(kernel) +
                       " --grid " + shell_quoted(request.grid) + " --block " + shell_quoted(request.block);
    if (request.shared_bytes != 0) made += " --shared " + std::to_string(request.shared_bytes);
    for (const std::string& argument : request.arguments) made += " --arg " + shell_quoted(argument);
    if (request.seed != 0) made += " --seed " + std::to_string(request.seed);
    if (request.budget != ptx::Launch{}.budget) made += " --budget " + std::to_string(request.budget);
    return made;
}

}  // namespace workbench::inspect
