// SPDX-License-Identifier: MIT
#include "core/inspect/kernel_facts.h"

#include <algorithm>
#include <numeric>

#include "core/ptx/code.h"

namespace workbench::inspect {

std::uint64_t KernelFacts::instructions() const {
    return std::accumulate(mix.begin(), mix.end(), std::uint64_t{0});
}

Result<KernelFacts> facts_of(const ptx::Module& module, const std::string& kernel) {
    const ptx::EntryInfo* const entry = module.entry(kernel);
    if (entry == nullptr) return fail(ErrorKind::bad_argument, "the PTX has no kernel \"" + kernel + "\"");
    KernelFacts made{.entry = *entry,
                     .version = module.version(),
                     .target = module.target(),
                     .opcodes = {module.opcodes().begin(), module.opcodes().end()},
                     .mix = {},
                     .refused = module.refused()};
    std::ranges::stable_sort(made.opcodes, [](const auto& a, const auto& b) { return a.second > b.second; });
    const ptx::Program& program = module.program();
    for (const ptx::Function& function : program.functions) {
        // The last instruction is the end of the body, which is not in the text.
        for (std::uint32_t i = function.begin; i + 1 < function.end; ++i)
            ++made.mix[static_cast<std::size_t>(program.code[i].kind)];
    }
    return made;
}

}  // namespace workbench::inspect
