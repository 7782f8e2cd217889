// SPDX-License-Identifier: MIT
#include "core/compile/run_ptx.h"

#include <cstring>

#include "core/support/try.h"

namespace workbench::compile {

Result<PtxResult> run_ptx(const ptx::Module& module, const PtxRun& run, std::span<const Argument> arguments) {
    const ptx::EntryInfo* entry = module.entry(run.kernel);
    if (entry == nullptr)
        return fail(ErrorKind::bad_argument, "the PTX has no kernel \"" + run.kernel + "\"");
    if (entry->parameters.size() != arguments.size())
        return fail(ErrorKind::bad_argument, run.kernel + " has " + std::to_string(entry->parameters.size()) +
                                                 " parameters, not " + std::to_string(arguments.size()));
    ptx::Memory memory;
    std::vector<std::byte> parameters(entry->parameter_bytes);
    std::vector<std::uint64_t> addresses(arguments.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const ptx::ParameterInfo& parameter = entry->parameters[k];
        const Argument& argument = arguments[k];
        const std::size_t bytes = argument.is_array ? sizeof(std::uint64_t) : argument.bytes.size();
        if (parameter.bytes != bytes)
            return fail(ErrorKind::bad_argument, run.kernel + ": parameter " + std::to_string(k) + " has " +
                                                     std::to_string(parameter.bytes) +
                                                     " bytes, its argument " + std::to_string(bytes));
        const void* value = argument.bytes.data();
        if (argument.is_array) {
            addresses[k] = memory.allocate(argument.bytes.size());
            const auto place = memory.bytes(addresses[k], argument.bytes.size());
            if (!argument.bytes.empty())
                std::memcpy(place.data(), argument.bytes.data(), argument.bytes.size());
            memory.mark_written(addresses[k], argument.bytes.size());
            value = &addresses[k];
        }
        std::memcpy(parameters.data() + parameter.offset, value, bytes);
    }
    const ptx::Launch launch{.kernel = run.kernel,
                             .grid = run.grid,
                             .block = run.block,
                             .shared_bytes = run.shared_bytes,
                             .parameters = parameters,
                             .seed = run.seed,
                             .budget = run.budget,
                             .checks = run.checks,
                             .stop = run.stop};
    PtxResult made;
    IIR2D_TRY(made.outcome, ptx::run(module, launch, memory));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (!arguments[k].is_output) continue;
        const auto bytes = memory.bytes(addresses[k], arguments[k].bytes.size());
        made.outputs.emplace_back(bytes.begin(), bytes.end());
    }
    return made;
}

}  // namespace workbench::compile
